import { type RawBuilder, sql } from 'kysely';
import type { Filters, Owners, Search } from './filters.js';

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

/** The longest word is asked for by itself, because an index answers one pattern and not a list of them. */
const inTitle = ({ words, indexed }: Search) =>
  indexed
    ? sql`k.title ilike ${indexed} and k.title ilike all(${words}::text[])`
    : sql`k.title ilike all(${words}::text[])`;

const searched = (search: Search, found: string | null) =>
  found === null
    ? sql`and ${inTitle(search)}`
    : sql`and ((${inTitle(search)}) or (k.card_id = ${found}::uuid and k.title ilike all(${search.besideRef}::text[])))`;

/** Whether a card `k` is one of those asked for; `found` is the one that the search names by its ref. */
export const matchesCard = (filters: Filters, found: string | null): RawBuilder<boolean> => sql<boolean>`
  (${filters.statuses}::text[] is null or k.status = any(${filters.statuses}::text[]))
  and (${filters.hasPr}::boolean is null or (k.pr_number is not null or k.pr_url is not null) = ${filters.hasPr}::boolean)
  ${filters.people ? ofPeople(filters.people) : sql``}
  ${filters.agents ? ofAgents(filters.agents) : sql``}
  ${filters.priorities ? sql`and k.priority = any(${filters.priorities}::text[])` : sql``}
  ${filters.labels ? sql`and k.labels && ${filters.labels}::text[]` : sql``}
  ${filters.dueBefore ? sql`and k.due_at < ${filters.dueBefore}` : sql``}
  ${filters.cardIds ? sql`and k.card_id = any(${filters.cardIds}::uuid[])` : sql``}
  ${filters.search ? searched(filters.search, found) : sql``}
`;
