import { describe, expect, it } from 'vitest';
import type { SessionCaller } from '../../kernel/access.js';
import type { Route } from '../../platform/http/declaration/route.js';
import { memberAccess } from '../../platform/http/declaration/route.js';
import { createSearchService, type SearchOptions } from './search.service.js';

const LISTS =
  'find_tasks list_boards list_members list_agents list_memories list_lessons list_builds list_projects list_guests';
const routes = LISTS.split(' ').map((name) => ({ name, access: memberAccess() }) as Route);
const caller = { kind: 'session', role: 'member', scopes: [], brandId: 1 } as unknown as SessionCaller;
const never = () => new Promise<never>(() => {});

const rooms = (findMemoriesByWords: () => Promise<never>) =>
  ({
    routes: () => routes,
    deadlineMs: 5,
    boards: { listBoardNames: never },
    workspaces: { features: { isShown: never } },
    memory: { findMemoriesByWords, listAgentNames: async () => [{ agent_id: 'a', name: 'Ada' }] },
  }) as unknown as SearchOptions;

const query = { query: 'ada', kinds: 'card,agent,memory', limit: 5 };

describe('A search', () => {
  it('omits a kind that is late, and says so', async () => {
    const { groups, searched, late } = await createSearchService(rooms(never)).search(caller, query);
    expect(groups.map(({ kind, hits }) => [kind, hits.length])).toEqual([['agent', 1]]);
    expect([searched, late]).toEqual([
      ['card', 'agent', 'memory'],
      ['card', 'memory'],
    ]);
  });

  it('fails when a kind fails, because the result would be incomplete', async () => {
    const failing = createSearchService(rooms(() => Promise.reject(new Error('away'))));
    await expect(failing.search(caller, query)).rejects.toThrow('away');
  });
});
