import type {
  InboxItem,
  ListMyInboxArguments,
  UpdateMyInboxItemArguments,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { InboxItem, InboxPage } from '../../../client/src/index.js';
export type InboxState = NonNullable<ListMyInboxArguments['state']>;

export type InboxFilter = Pick<
  ListMyInboxArguments,
  'kind' | 'unread' | 'board_id' | 'project_id' | 'user_id'
>;
export type InboxChanges = Omit<UpdateMyInboxItemArguments, 'item_id'>;

export const listInbox = (
  question: InboxFilter & { state: InboxState; limit: number },
  cursor?: string,
  signal?: AbortSignal,
) => guildhall.listMyInbox({ ...question, cursor }, { signal });

export const changeItem = (item_id: string, changes: InboxChanges) =>
  guildhall.updateMyInboxItem({ ...changes, item_id });

export const changeItems = (item_ids: string[], changes: InboxChanges) =>
  guildhall.updateMyInboxItems({ ...changes, item_ids });

export const finishItems = (item_ids?: string[]) => guildhall.finishMyInboxItems({ item_ids });

export const followInbox = (signal: AbortSignal) => guildhall.stream('streamMyInbox', {}, { signal });

/** Links to the build, or otherwise to the card. */
export function addressOfItem({ task, build_id }: InboxItem): string | undefined {
  if (build_id) return `/dashboard/builds/${build_id}`;
  return task ? `/dashboard/boards/${task.board_id}?card=${task.task_id}` : undefined;
}
