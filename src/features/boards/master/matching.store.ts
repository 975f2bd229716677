import { type RawBuilder, sql } from 'kysely';
import { anywhere } from '../../../kernel/like-pattern.js';
import type { CountedFilters, Filters, Owners, Search } from './filters.js';

/*
 * Each condition has a text only where it is asked for: with one that lets everything pass, the plan is made for everything.
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

/** Their index is by rank, in which all that have none are one. */
const ofPriorities = (names: string[]) => sql`and k.priority = any(${names}::text[])
  and priority_rank(k.priority) = any(array(select priority_rank(name) from unnest(${names}::text[]) name))`;

/** A word is asked for by itself where an index can answer it: it answers one pattern and another, not a list of them. */
const inTitle = ({ words, indexed }: Search) =>
  sql.join(
    [
      ...indexed.map((word) => sql`k.title ilike ${anywhere(word)}`),
      sql`k.title ilike all(${words}::text[])`,
    ],
    sql` and `,
  );

/** Written as a sum, it is no question to the index. */
export const ofWorkspace = (brandId: number, { search }: Filters) =>
  search?.amongAll ? sql`k.brand_id + 0 = ${brandId}` : sql`k.brand_id = ${brandId}`;

const searched = (search: Search, found: string | null) =>
  found === null
    ? sql`and ${inTitle(search)}`
    : sql`and ((${inTitle(search)}) or (k.card_id = ${found}::uuid and k.title ilike all(${search.besideRef}::text[])))`;

/** Whether a board `b` is one of those asked for. */
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

/** Whether the cards of a tally `t`, in column `c` of board `b`, are. */
export const matchesTally = (filters: CountedFilters): RawBuilder<boolean> => sql<boolean>`
  ${onBoard(filters)}
  and (${filters.columnKeys}::text[] is null or c.name_key = any(${filters.columnKeys}::text[]))
  and (${filters.statuses}::text[] is null or t.status = any(${filters.statuses}::text[]))
  and (${filters.hasPr}::boolean is null or t.has_pr = ${filters.hasPr}::boolean)`;

/** Whether a card `k` is one of those asked for; `found` is the one that the search names by its ref. */
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
