import { FIELD_DEFAULTS } from './boards.card-input.js';
import type { Place } from './boards.columns.js';

interface NewCard {
  cardId: string;
  boardId: string;
  brandId: number;
  number: number;
  reporterId: number;
  place: Place;
  at: Date;
}

const { watchers: _watchers, blocked_by: _blockedBy, ...columnDefaults } = FIELD_DEFAULTS;

/** A card's row before anything was said about it; what is not named here is null. */
export const newCardRow = (card: NewCard): Record<string, unknown> => ({
  ...columnDefaults,
  card_id: card.cardId,
  board_id: card.boardId,
  brand_id: card.brandId,
  number: card.number,
  column_id: card.place.column.id,
  status: card.place.status,
  position: card.number,
  reporter_user_id: card.reporterId,
  watcher_user_ids: [],
  comment_count: 0,
  attachment_count: 0,
  created_at: card.at.toISOString(),
  updated_at: card.at.toISOString(),
  version: 1,
});
