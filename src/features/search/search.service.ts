import type { MemberCaller } from '../../kernel/access.js';
import { DeadlineExceeded, within } from '../../kernel/deadline.js';
import type { Route } from '../../platform/http/declaration/route.js';
import { admits } from '../../platform/http/request/authentication.js';
import { createFinders, type SearchSources } from './finders.js';
import { readWords } from './matching.js';
import { SEARCH_KINDS, type SearchAnswer, type SearchKind, type SearchQuery } from './search.schemas.js';

export interface SearchOptions extends SearchSources {
  routes(): readonly Route[];
  /** Slower kinds are left out. */
  deadlineMs?: number;
}

export type SearchService = ReturnType<typeof createSearchService>;

/** A caller finds the kinds that these routes would list. */
const LISTED_BY: Record<SearchKind, string> = {
  card: 'find_tasks',
  board: 'list_boards',
  person: 'list_members',
  agent: 'list_agents',
  memory: 'list_memories',
  lesson: 'list_lessons',
  build: 'list_builds',
  project: 'list_projects',
};

const DEADLINE_MS = 1000;

/** Asks every feature for its hits and groups them by kind. */
export function createSearchService({ routes, deadlineMs = DEADLINE_MS, ...sources }: SearchOptions) {
  const mayCall = (caller: MemberCaller, name: string): boolean => {
    const route = routes().find((each) => each.name === name);
    if (!route) throw new Error(`There is no route ${name}`);
    return admits(route.access, caller);
  };

  return {
    async search(caller: MemberCaller, { query, kinds, limit }: SearchQuery): Promise<SearchAnswer> {
      const asked = kinds?.split(',') ?? SEARCH_KINDS;
      const searched = SEARCH_KINDS.filter(
        (kind) => asked.includes(kind) && mayCall(caller, LISTED_BY[kind]),
      );
      const words = readWords(query);
      if (words.length === 0) return { groups: [], searched, late: [] };
      const finders = createFinders(sources, {
        caller,
        text: query,
        words,
        // One more than is shown tells whether there are more.
        limit: limit + 1,
        seesGuests: mayCall(caller, 'list_guests'),
      });
      const found = await Promise.all(
        searched.map(async (kind) => ({ kind, hits: await unlessLate(finders[kind]()) })),
      );
      return {
        groups: found.flatMap(({ kind, hits }) =>
          hits && hits.length > 0 ? [{ kind, hits: hits.slice(0, limit), more: hits.length > limit }] : [],
        ),
        searched,
        late: found.flatMap(({ kind, hits }) => (hits ? [] : [kind])),
      };
    },
  };

  function unlessLate<T>(work: Promise<T>): Promise<T | undefined> {
    return within(deadlineMs, work).catch((error: unknown) => {
      if (error instanceof DeadlineExceeded) return undefined;
      throw error;
    });
  }
}
