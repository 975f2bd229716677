import type {
  CreateMyViewArguments,
  FindTasksArguments,
  FoundCardPage,
  FullCard,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

/** Card fields that lists show in addition to the summary. */
const SHOWN = [
  'board_id',
  'assignee',
  'assignee_agent_id',
  'priority',
  'labels',
  'due_at',
  'cost_usd',
  'progress_percent',
  'error_code',
  'version',
  'archived',
  'estimate_points',
  'estimate_minutes',
] as const;

export type FoundCard = FoundCardPage['items'][number] & Pick<FullCard, (typeof SHOWN)[number]>;
export type CardFilter = Omit<FindTasksArguments, 'with' | 'cursor'>;

export interface FoundCards {
  items: FoundCard[];
  total: number;
  next_cursor: string | null;
  /** Counts of all found cards, by the requested grouping. */
  counts?: { value: string | null; cards: number }[];
}

export const findCards = (filter: CardFilter, cursor: string | undefined, signal?: AbortSignal) =>
  guildhall.findTasks({ ...filter, cursor, with: SHOWN.join(',') }, { signal }) as Promise<FoundCards>;

export const addressOfCard = ({ board_id, id }: Pick<FoundCard, 'board_id' | 'id'>): string =>
  `/dashboard/boards/${board_id}?card=${id}`;

export type { SavedView } from '../../../client/src/index.js';

export const listViews = (signal?: AbortSignal) => guildhall.listMyViews({}, { signal });

export const saveView = (view: CreateMyViewArguments) => guildhall.createMyView(view);

export const shareView = (view_id: string, shared: boolean) => guildhall.updateMyView({ view_id, shared });

export const deleteView = (view_id: string) => guildhall.deleteMyView({ view_id });
