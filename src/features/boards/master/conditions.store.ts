import { type RawBuilder, sql } from 'kysely';
import { anywhere } from '../../../platform/database/schema/sql-fragments.js';
import { STATUSES } from '../board/columns.js';
import type { CountedFilters, Filters, Owners, Search } from './filters.js';
import type { Counted, Sort, SortName, SortPlace } from './master.schemas.js';

/**
 * A condition is part of the statement only when it is used, because a generic one would give a worse plan.
 */

const ofPeople = ({ ids, nobody }: Owners<number>) =>
  nobody
    ? sql`and (k.assignee_user_id is null or k.assignee_user_id = any(${ids}::int[]))`
    : sql`and k.assignee_user_id = any(${ids}::int[])`;

const ofAgents = (agents: Owners<string> | 'any') =>
  agents === 'any'
    ? sql`and k.assignee_agent_id is not null`
    : agents.nobody
      ? sql`and (k.assignee_agent_id is null or k.assignee_agent_id = any(${agents.ids}::text[]))`
      : sql`and k.assignee_agent_id = any(${agents.ids}::text[])`;

/** Filters by rank too, because the index is on the rank and all unranked names share one. */
const ofPriorities = (names: string[]) => sql`and k.priority = any(${names}::text[])
  and priority_rank(k.priority) = any(array(select priority_rank(name) from unnest(${names}::text[]) name))`;

/** The trigram index answers single patterns, not arrays of them. */
const inTitle = ({ words, indexed }: Search) =>
  sql.join(
    [
      ...indexed.map((word) => sql`k.title ilike ${anywhere(word)}`),
      sql`k.title ilike all(${words}::text[])`,
    ],
    sql` and `,
  );

/** The sum keeps PostgreSQL from using the index on brand_id. */
export const ofWorkspace = (brandId: number, { search }: Filters) =>
  search?.amongAll ? sql`k.brand_id + 0 = ${brandId}` : sql`k.brand_id = ${brandId}`;

const searched = (search: Search, found: string | null) =>
  found === null
    ? sql`and ${inTitle(search)}`
    : sql`and ((${inTitle(search)}) or (k.card_id = ${found}::uuid and k.title ilike all(${search.otherWords}::text[])))`;

/** Whether a board `b` matches. */
export const onBoard = ({
  boardIds,
  boardTypes,
  guestId,
}: CountedFilters): RawBuilder<boolean> => sql<boolean>`
  (${boardIds}::uuid[] is null or b.board_id = any(${boardIds}::uuid[]))
  and (${boardTypes}::text[] is null or b.board_type = any(${boardTypes}::text[]))
  and (${guestId}::int is null or exists (
    select from guest_access g where g.kind = 'board' and g.resource_id = b.board_id and g.user_id = ${guestId}::int
  ))`;

/** Whether a tally `t` in column `c` of board `b` matches. */
export const matchesTally = (filters: CountedFilters): RawBuilder<boolean> => sql<boolean>`
  ${onBoard(filters)}
  and (${filters.columnKeys}::text[] is null or c.name_key = any(${filters.columnKeys}::text[]))
  and (${filters.statuses}::text[] is null or t.status = any(${filters.statuses}::text[]))
  and (${filters.hasPr}::boolean is null or t.has_pr = ${filters.hasPr}::boolean)`;

/** Whether a card `k` matches; `found` is the card that the search names by its ref. */
export const matchesCard = (filters: Filters, found: string | null): RawBuilder<boolean> => sql<boolean>`
  (${filters.statuses}::text[] is null or k.status = any(${filters.statuses}::text[]))
  and (${filters.hasPr}::boolean is null or (k.pr_number is not null or k.pr_url is not null) = ${filters.hasPr}::boolean)
  ${filters.people ? ofPeople(filters.people) : sql``}
  ${filters.agents ? ofAgents(filters.agents) : sql``}
  ${filters.priorities ? ofPriorities(filters.priorities) : sql``}
  ${filters.labels ? sql`and k.labels <> '{}' and k.labels && ${filters.labels}::text[]` : sql``}
  ${filters.dueBefore ? sql`and k.due_at < ${filters.dueBefore}` : sql``}
  ${filters.cardIds ? sql`and k.card_id = any(${filters.cardIds}::uuid[])` : sql``}
  ${filters.search ? searched(filters.search, found) : sql``}
`;

/** The indexes for title, due date, priority and change use exactly these expressions. */
const keyOf = (by: SortName): RawBuilder<unknown> =>
  by === 'title'
    ? sql`lower(k.title)`
    : by === 'status'
      ? sql`array_position(${sql.lit(`{${STATUSES.join()}}`)}::text[], k.status)`
      : by === 'assignee'
        ? sql`coalesce(
            (select lower(u.full_name) from users u where u.user_id = k.assignee_user_id), lower(k.assignee_agent_id))`
        : by === 'priority'
          ? sql`priority_rank(k.priority)`
          : by === 'due'
            ? sql`k.due_at`
            : by === 'estimate'
              ? sql`coalesce(k.estimate_points, k.estimate_minutes)::float8`
              : sql`k.updated_at`;

/** The key of a cursor in the type of its column. */
const placeOf = (by: SortName, key: string | null): RawBuilder<unknown> =>
  by === 'title' || by === 'assignee'
    ? sql`${key}::text`
    : by === 'status' || by === 'priority'
      ? sql`${key}::integer`
      : by === 'estimate'
        ? sql`${key}::float8`
        : sql`${key}::timestamptz`;

/** Fields that can be empty. */
const NULLABLE_SORTS: readonly SortName[] = ['assignee', 'due', 'estimate'];

/** Cards with a value come first; cards without one follow in either order, sorted by id. */
export interface SortSegment {
  sort: Sort;
  isSorted: boolean;
  after: SortPlace | undefined;
}

export function segmentsOf(sort: Sort, after: SortPlace | undefined): SortSegment[] {
  const isPast = after?.key === null;
  const sorted = { sort, isSorted: true, after };
  const unsorted = { sort, isSorted: false, after: isPast ? after : undefined };
  return [...(isPast ? [] : [sorted]), ...(NULLABLE_SORTS.includes(sort.by) ? [unsorted] : [])];
}

export const sortValue = ({ sort, isSorted }: SortSegment): RawBuilder<unknown> =>
  isSorted ? sql`${keyOf(sort.by)}` : sql`null::text`;

/** Ids are reversed too, so that one index serves both orders. */
export const direction = ({ sort, isSorted }: SortSegment): RawBuilder<unknown> =>
  isSorted && sort.descending ? sql`desc` : sql`asc`;

export const isInSegment = (segment: SortSegment): RawBuilder<unknown> =>
  segment.isSorted
    ? sql`and ${keyOf(segment.sort.by)} is not null ${segment.after ? isBeyond(segment.sort, segment.after) : sql``}`
    : sql`and ${keyOf(segment.sort.by)} is null ${segment.after ? sql`and k.card_id > ${segment.after.id}::uuid` : sql``}`;

const isBeyond = ({ by, descending }: Sort, { key, id }: SortPlace): RawBuilder<unknown> =>
  descending
    ? sql`and ${keyOf(by)} <= ${placeOf(by, key)} and (${keyOf(by)} < ${placeOf(by, key)} or k.card_id < ${id}::uuid)`
    : sql`and ${keyOf(by)} >= ${placeOf(by, key)} and (${keyOf(by)} > ${placeOf(by, key)} or k.card_id > ${id}::uuid)`;

/** Cards of agents count for their person, if they have one. */
export const COUNT_KEYS: Record<Counted, RawBuilder<string | null>> = {
  status: sql`k.status`,
  board: sql`k.board_id::text`,
  assignee: sql`coalesce(k.assignee_user_id::text, 'agent:' || k.assignee_agent_id)`,
  priority: sql`k.priority`,
};
