import { sql } from 'kysely';
import type { Tx } from '../../../platform/database/database.js';

export interface PlacedCard {
  card_id: string;
  position: number;
}

export type Side = 'before' | 'after';

export interface Stretch {
  /** Has fewer cards than requested at the end of the column. */
  cards: number;
  /** The largest absolute position. */
  largest: number;
  beyond: number | null;
}

/** The order of one column of a locked board, without the card `exceptId`, which is being moved. */
export function cardOrderStore(tx: Tx, brandId: number, columnId: string, exceptId: string) {
  const beside = ({ card_id, position }: PlacedCard, side: Side, limit: number) => {
    const isFurther = side === 'after' ? sql`>` : sql`<`;
    const direction = side === 'after' ? sql`asc` : sql`desc`;
    return sql`
      select near.card_id, near.position, row_number() over (order by near.position ${direction}, near.card_id ${direction}) as place
      from (
        select card_id, position from cards
        where column_id = ${columnId} and brand_id = ${brandId} and card_id <> ${exceptId}
          and (position, card_id) ${isFurther} (${position}::float8, ${card_id}::uuid)
        order by position ${direction}, card_id ${direction} limit ${limit}
      ) near`;
  };

  return {
    async findCard(cardId: string): Promise<PlacedCard | undefined> {
      const { rows } = await sql<PlacedCard>`
      select card_id, position from cards
      where card_id = ${cardId} and column_id = ${columnId} and brand_id = ${brandId}
    `.execute(tx);
      return rows[0];
    },

    async findBeside(card: PlacedCard, side: Side): Promise<PlacedCard | undefined> {
      const { rows } = await sql<PlacedCard>`
        select card_id, position from (${beside(card, side, 1)}) nearest
      `.execute(tx);
      return rows[0];
    },

    async findStretch(from: PlacedCard, side: Side, length: number): Promise<Stretch> {
      const { rows } = await sql<Stretch>`
      select least(count(*), ${length}::bigint) as cards, 
        greatest(abs(min(position)), abs(max(position))) as largest, max(position) filter (where place > ${length}::bigint) as beyond
      from (${beside(from, side, length + 1)}) stretch
    `.execute(tx);
      return rows[0]!;
    },

    /**
     * Spaces the cards evenly, with a gap for one card before the first. Their order does not change, so no
     * entry is written.
     */
    async spread(from: PlacedCard, side: Side, length: number, step: number): Promise<void> {
      await sql`
      update cards k set position = ${from.position}::float8 + ${step}::float8 * (moved.place + 1)
      from (${beside(from, side, length)}) moved
      where k.card_id = moved.card_id and k.brand_id = ${brandId} and k.column_id = ${columnId}
    `.execute(tx);
    },
  };
}
