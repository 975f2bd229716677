import type { CardPatch, TileCard } from '../../api/boards.js';

/** What every list of cards shows, and what is changed in it. */
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

/** A change of one card: what is sent, and how the card looks once it is done. */
export interface Wish {
  set: CardPatch;
  shown: Partial<ListedCard>;
}
