import type { Place } from '../board/columns.js';
import type { Changes } from '../boards.schemas.js';
import { guestWritten, rowOf } from './card-changes.js';
import { type ChangeableName, columnOf, FIELD_NAMES, fieldOf } from './card-fields.js';
import type { CardValues } from './card-values.js';

export interface NewCard {
  cardId: string;
  boardId: string;
  brandId: number;
  number: number;
  /** Null: the service itself made it. */
  reporterId: number | null;
  place: Place;
  at: Date;
  byGuest?: boolean;
}

/** A card's row before anything was said about it; what is not named here is null. */
export function newCardRow(card: NewCard): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const name of FIELD_NAMES) {
    const { empty } = fieldOf(name);
    const column = columnOf(name);
    if (column && empty) row[column] = empty(card);
  }
  return Object.assign(row, {
    card_id: card.cardId,
    board_id: card.boardId,
    brand_id: card.brandId,
    number: card.number,
    column_id: card.place.column.id,
    status: card.place.status,
    reporter_user_id: card.reporterId,
    created_at: card.at.toISOString(),
    updated_at: card.at.toISOString(),
    version: 1,
    guest_written: [],
  });
}

/** The row of a card with what its maker said. */
export function filledCardRow(card: NewCard, values: CardValues): Record<string, unknown> {
  const said: Record<string, unknown> = { ...values, ...card.place };
  const names = Object.keys(said) as ChangeableName[];
  return {
    ...newCardRow(card),
    ...rowOf(names, said, { started_at: null }, card.at),
    guest_written: guestWritten([], names, said, card.byGuest === true),
  };
}

/** What a receipt would say of the making. */
export function describeCreation(values: CardValues, place: Place): Changes {
  const shown = { ...values, status: place.status, column: place.column.name };
  return Object.fromEntries(
    Object.entries(shown)
      .filter(([, value]) => value !== null)
      .map(([field, value]) => [field, { from: null, to: value }]),
  );
}
