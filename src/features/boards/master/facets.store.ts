import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../database/database.js';
import type { CountedFilters, Facet, Filters } from './filters.js';
import { matchesTally, onBoard } from './matching.store.js';
import type { Counted } from './sorting.js';

export interface ValueCount {
  value: string | null;
  cards: number;
}

/** Totals and counts from what the database has counted already: a few rows a board, however many cards there are. */
export const facetStore = (db: Db, brandId: number) => {
  const ofFacet = (name: string, filters: CountedFilters, condition: RawBuilder<unknown> = sql``) => sql`
    from card_facets t join boards b on b.board_id = t.board_id
    where t.brand_id = ${brandId} and t.facet = ${name} ${condition} and ${onBoard(filters)}`;

  /** An agent's card that no person has is counted under `owner`, though it has no person. */
  const isPerson = sql`and not starts_with(t.value, 'agent:')`;

  return {
    /** `all`: how many cards stand on these boards. */
    async countFacet({ name, values, orNone }: Facet, filters: Filters, all: number): Promise<number> {
      const any = name === 'owner' ? isPerson : sql``;
      const wanted = values ? sql`t.value = any(${values}::text[])` : sql`true`;
      const { rows } = await sql<{ wanted: number; having: number }>`
        select coalesce(sum(t.cards) filter (where ${wanted}), 0) as wanted, coalesce(sum(t.cards), 0) as having
        ${ofFacet(name, filters, orNone ? any : sql`and ${wanted}`)}
      `.execute(db);
      const { wanted: found, having } = rows[0]!;
      return orNone ? all - having + found : found;
    },

    /** Whole days are counted already; the cards of the last one are looked at. */
    async countDue(filters: Filters, columnIds: string[]): Promise<number> {
      const { rows } = await sql<{ total: number }>`
        select (select coalesce(sum(t.cards), 0) ${ofFacet('due', filters, sql`and t.value < due_day(${filters.dueBefore})`)})
          + (
            select count(*) from cards k where k.brand_id = ${brandId} and k.column_id = any(${columnIds}::uuid[])
              and k.due_at >= date_trunc('day', ${filters.dueBefore}::timestamptz, 'UTC') and k.due_at < ${filters.dueBefore}
          ) as total
      `.execute(db);
      return rows[0]!.total;
    },

    async countByTally(by: 'status' | 'board', filters: CountedFilters): Promise<ValueCount[]> {
      const { rows } = await sql<ValueCount>`
        select ${by === 'status' ? sql`t.status` : sql`t.board_id::text`} as value, sum(t.cards) as cards
        from boards b join card_tallies t using (board_id) join board_columns c using (column_id)
        where b.brand_id = ${brandId} and ${matchesTally(filters)}
        group by 1 having sum(t.cards) > 0 order by 2 desc, 1 limit ${MOST_VALUES}
      `.execute(db);
      return rows;
    },

    /** Those that have none are what is left of `all`. */
    async countByFacet(name: Facet['name'], filters: CountedFilters, all: number): Promise<ValueCount[]> {
      const { rows } = await sql<ValueCount>`
        with valued as materialized (select t.value, sum(t.cards)::int as cards ${ofFacet(name, filters)} group by 1)
        select value, cards from (
          select value, cards from valued
          union all select null, ${all}::int - coalesce(sum(cards), 0)::int from valued
        ) counted
        where cards > 0 order by 2 desc, 1 limit ${MOST_VALUES}
      `.execute(db);
      return rows;
    },
  };
};

export const MOST_VALUES = 1000;

/** Which facet counts by this; the others are counted by their tallies. */
export const FACET_COUNTED: Partial<Record<Counted, Facet['name']>> = {
  assignee: 'owner',
  priority: 'priority',
};
