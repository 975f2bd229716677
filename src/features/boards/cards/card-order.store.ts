import { sql } from 'kysely';
import type { Tx } from '../../../database/database.js';

export interface PlacedCard {
  card_id: string;
  position: number;
}

/** The order of one column; the writer holds the board. `exceptId` is the card that is about to stand elsewhere. */
export const cardOrderStore = (tx: Tx, brandId: number, columnId: string, exceptId: string) => ({
  async findCard(cardId: string): Promise<PlacedCard | undefined> {
    const { rows } = await sql<PlacedCard>`
      select card_id, position from cards
      where card_id = ${cardId} and column_id = ${columnId} and brand_id = ${brandId}
    `.execute(tx);
    return rows[0];
  },

  /** The card right before another one. */
  async findBefore({ card_id, position }: PlacedCard): Promise<PlacedCard | undefined> {
    const { rows } = await sql<PlacedCard>`
      select card_id, position from cards
      where column_id = ${columnId} and brand_id = ${brandId} and card_id <> ${exceptId}
        and (position, card_id) < (${position}::float8, ${card_id}::uuid)
      order by position desc, card_id desc limit 1
    `.execute(tx);
    return rows[0];
  },

  /** Cards that come after another one, in order. */
  async listAfter({ card_id, position }: PlacedCard, limit: number): Promise<PlacedCard[]> {
    const { rows } = await sql<PlacedCard>`
      select card_id, position from cards
      where column_id = ${columnId} and brand_id = ${brandId} and card_id <> ${exceptId}
        and (position, card_id) > (${position}::float8, ${card_id}::uuid)
      order by position, card_id limit ${limit}
    `.execute(tx);
    return rows;
  },

  /** Moves cards within the numbers without changing their order: nobody did anything to them, so nothing is told of it. */
  async shift(cards: PlacedCard[]): Promise<void> {
    await sql`
      update cards k set position = moved.position
      from unnest(${cards.map(({ card_id }) => card_id)}::uuid[], ${cards.map(({ position }) => position)}::float8[])
        as moved (card_id, position)
      where k.card_id = moved.card_id and k.brand_id = ${brandId} and k.column_id = ${columnId}
    `.execute(tx);
  },
});
