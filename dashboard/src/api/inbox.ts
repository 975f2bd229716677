import type { InboxItem, ListMyInboxArguments } from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { InboxItem, InboxPage } from '../../../client/src/index.js';
export type InboxState = NonNullable<ListMyInboxArguments['state']>;

export const listInbox = (state: InboxState, limit: number, cursor?: string, signal?: AbortSignal) =>
  guildhall.listMyInbox({ state, limit, cursor }, { signal });

export const changeItem = (item_id: string, changes: { read?: boolean; done?: boolean }) =>
  guildhall.updateMyInboxItem({ ...changes, item_id });

export const finishItems = (item_ids?: string[]) => guildhall.finishMyInboxItems({ item_ids });

export const followInbox = (signal: AbortSignal) => guildhall.stream('streamMyInbox', {}, { signal });

/** Where an item leads: a build to its page, everything else to its card. */
export function addressOfItem({ task, build_id }: InboxItem): string | undefined {
  if (build_id) return `/dashboard/builds/${build_id}`;
  return task ? `/dashboard/boards/${task.board_id}?card=${task.task_id}` : undefined;
}
