import type { CardPatch, TileCard } from '../../api/boards.js';

export type ListedCard = Pick<
  TileCard,
  | 'id'
  | 'ref'
  | 'title'
  | 'status'
  | 'column'
  | 'assignee'
  | 'assignee_agent_id'
  | 'priority'
  | 'labels'
  | 'due_at'
  | 'archived'
  | 'estimate_points'
  | 'estimate_minutes'
  | 'updated_at'
>;

/** A requested change of one card and the optimistic state to show. */
export interface CardUpdate {
  set: CardPatch;
  shown: Partial<ListedCard>;
}
