import { sql } from 'kysely';
import type { TimePlace } from '../../../kernel/cursor.js';
import type { Db } from '../../../platform/database/database.js';
import type { Status } from '../board/columns.js';
import {
  COUNT_KEYS,
  direction,
  isInSegment,
  matchesCard,
  matchesTally,
  ofWorkspace,
  type SortSegment,
  segmentsOf,
  sortValue,
} from './conditions.store.js';
import { type CountedFilters, type Filters, readsCards } from './filters.js';
import type { Counted, Sort, SortPlace } from './master.schemas.js';

const MOST_VALUES = 1000;

export interface ValueCount {
  value: string | null;
  cards: number;
}

/** Columns with matches, the number of matches by tallies, and of all cards of the workspace. */
export interface Scope {
  columnIds: string[];
  matching: number;
  all: number;
}

export interface SelectiveWords {
  rare: string[] | null;
  cards: number;
}

interface NamedBoard {
  board_id: string;
  own: boolean;
  invited: boolean;
}

export interface FoundTask {
  id: string;
  ref: string;
  title: string;
  board: string;
  column_id: string;
  column_name: string;
  status: Status;
  pr_number: number | null;
  branch: string | null;
  updated_at: Date;
}

export type SortedRow = FoundTask & { sort_key: string | null };

const pageColumns = sql`k.card_id, k.board_id, k.column_id, k.number, k.title, k.status, k.pr_number, k.branch, k.updated_at`;

/** Left out on the first page, whose plan would be worse with it. */
const follows = (after: TimePlace | undefined) =>
  after
    ? sql`and k.updated_at <= ${after.at} and (k.updated_at < ${after.at} or k.card_id > ${after.id}::uuid)`
    : sql``;

export interface PageRequest {
  scope: Scope;
  filters: Filters;
  limit: number;
  found: string | null;
}

export interface NewestPage extends PageRequest {
  after: TimePlace | undefined;
  apart?: { only: string } | { except: string };
}

const apartFrom = ({ apart }: NewestPage) =>
  apart
    ? 'only' in apart
      ? sql`and k.card_id = ${apart.only}::uuid`
      : sql`and k.card_id <> ${apart.except}::uuid`
    : sql``;

/** Left out when all cards match, so that the plan follows the order alone. */
const inColumns = (
  { columnIds, matching, all }: Scope,
  { boardIds, boardTypes, columnKeys, guestId }: Filters,
) =>
  matching === all && [boardIds, boardTypes, columnKeys, guestId].every((each) => each === null)
    ? sql``
    : sql`and k.column_id = any(${columnIds}::uuid[])`;

const changedSince = ({ since }: Filters) => (since ? sql`and k.updated_at >= ${since}` : sql``);

const newestOf = (brandId: number, page: NewestPage) => sql`(
  select ${pageColumns} from cards k
  where ${ofWorkspace(brandId, page.filters)} ${changedSince(page.filters)} ${inColumns(page.scope, page.filters)}
    and ${matchesCard(page.filters, page.found)}
    ${follows(page.after)} ${apartFrom(page)}
  order by k.updated_at desc, k.card_id limit ${page.limit}
)`;

const ofColumns = ({ scope, filters, limit, after, found }: NewestPage) => sql`(
  select newest.* from unnest(${scope.columnIds}::uuid[]) as wanted (column_id) cross join lateral (
    select ${pageColumns} from cards k
    where k.column_id = wanted.column_id ${changedSince(filters)}
      and ${matchesCard(filters, found)} ${follows(after)}
    order by k.updated_at desc, k.card_id limit ${limit}
  ) newest
  order by newest.updated_at desc, newest.card_id limit ${limit}
)`;

export const findTasksStore = (db: Db, brandId: number) => {
  async function listSegment({ scope, filters, limit, found }: PageRequest, segment: SortSegment) {
    const { rows } = await sql<SortedRow>`
      select k.card_id as id, b.key || '-' || k.number as ref, k.title, b.name as board, k.column_id, c.name as column_name,
        k.status, k.pr_number, k.branch, k.updated_at, k.sort_value::text as sort_key
      from (
        select ${pageColumns}, ${sortValue(segment)} as sort_value from cards k
        where ${ofWorkspace(brandId, filters)} ${changedSince(filters)} ${inColumns(scope, filters)} and ${matchesCard(filters, found)}
          ${isInSegment(segment)}
        order by ${sortValue(segment)} ${direction(segment)}, k.card_id ${direction(segment)} limit ${limit}
      ) k
      join boards b on b.board_id = k.board_id join board_columns c on c.column_id = k.column_id
      order by k.sort_value ${direction(segment)}, k.card_id ${direction(segment)}
    `.execute(db);
    return rows;
  }

  return {
    async findBoards(boardIds: string[], userId: number): Promise<NamedBoard[]> {
      const { rows } = await sql<NamedBoard>`
      select b.board_id, b.brand_id = ${brandId} as own, exists (
        select from guest_access g where g.kind = 'board' and g.resource_id = b.board_id and g.user_id = ${userId}
      ) as invited
      from boards b where b.board_id = any(${boardIds}::uuid[])
    `.execute(db);
      return rows;
    },

    /** Reads only tallies, a few rows per board. */
    async findScope(filters: CountedFilters): Promise<Scope> {
      const { rows } = await sql<{ column_id: string; matching: number; cards: number }>`
      select t.column_id, sum(t.cards) as cards, coalesce(sum(t.cards) filter (where ${matchesTally(filters)}), 0) as matching
      from boards b join card_tallies t using (board_id) join board_columns c using (column_id)
      where b.brand_id = ${brandId}
      group by t.column_id
    `.execute(db);
      return {
        columnIds: rows.filter(({ matching }) => matching > 0).map(({ column_id }) => column_id),
        matching: rows.reduce((sum, { matching }) => sum + matching, 0),
        all: rows.reduce((sum, { cards }) => sum + cards, 0),
      };
    },

    /** Words that few titles contain, and the approximate number of all cards. */
    async findSelectiveWords(words: string[]): Promise<SelectiveWords> {
      const { rows } = await sql<SelectiveWords>`
        select rare_parts_of_titles(${brandId}, ${words}::text[]) as rare, reltuples as cards
        from pg_class where oid = 'cards'::regclass
      `.execute(db);
      return rows[0]!;
    },

    async listCards(page: NewestPage): Promise<FoundTask[]> {
      // Many matches: walk the newest cards. Few: read their columns. Card filters have their own indexes.
      const walkingNewest =
        readsCards(page.filters) || page.scope.matching ** 2 > page.limit * page.scope.all;
      const { rows } = await sql<FoundTask>`
      select k.card_id as id, b.key || '-' || k.number as ref, k.title, b.name as board, k.column_id, c.name as column_name,
        k.status, k.pr_number, k.branch, k.updated_at
      from ${walkingNewest ? newestOf(brandId, page) : ofColumns(page)} k
      join boards b on b.board_id = k.board_id join board_columns c on c.column_id = k.column_id
      order by k.updated_at desc, k.card_id
    `.execute(db);
      return rows;
    },

    async listSorted(page: PageRequest, sort: Sort, after: SortPlace | undefined): Promise<SortedRow[]> {
      const found: SortedRow[] = [];
      for (const segment of segmentsOf(sort, after))
        if (found.length < page.limit)
          found.push(...(await listSegment({ ...page, limit: page.limit - found.length }, segment)));
      return found;
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

    async countBy(scope: Scope, filters: Filters, found: string | null, by: Counted): Promise<ValueCount[]> {
      const { rows } = await sql<ValueCount>`
      select ${COUNT_KEYS[by]} as value, count(*) as cards from cards k
      where ${ofWorkspace(brandId, filters)} ${changedSince(filters)} ${inColumns(scope, filters)} and ${matchesCard(filters, found)}
      group by 1 order by 2 desc, 1 limit ${MOST_VALUES}
    `.execute(db);
      return rows;
    },

    async countSince(scope: Scope, filters: Filters): Promise<number> {
      const { rows } = await sql<{ total: number }>`
      select count(*) as total from unnest(${scope.columnIds}::uuid[]) as wanted (column_id)
      join cards k on k.column_id = wanted.column_id and k.updated_at >= ${filters.since}
      where ${matchesCard(filters, null)}
    `.execute(db);
      return rows[0]!.total;
    },

    async countMatching(scope: Scope, filters: Filters, found: string | null): Promise<number> {
      const { rows } = await sql<{ total: number }>`
      select count(*) as total from cards k
      where ${ofWorkspace(brandId, filters)} ${changedSince(filters)} ${inColumns(scope, filters)} and ${matchesCard(filters, found)}
    `.execute(db);
      return rows[0]!.total;
    },
  };
};

export interface CardWeek {
  week: string;
  made: number;
  done: number;
}

/** Cards created per week, and those completed in a week and still done. */
export async function listCardWeeks(db: Db, brandId: number, since: Date): Promise<CardWeek[]> {
  const { rows } = await sql<CardWeek>`
    select to_char(week, 'YYYY-MM-DD') as week, sum(made)::integer as made, sum(done)::integer as done
    from (
      select week_of(created_at) as week, count(*) as made, 0 as done
      from cards where brand_id = ${brandId} and created_at >= ${since} group by 1
      union all
      select week_of(completed_at), 0, count(*)
      from cards where brand_id = ${brandId} and completed_at >= ${since} group by 1
    ) counted group by 1`.execute(db);
  return rows;
}
