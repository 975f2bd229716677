import { parse } from 'yaml';
import type { SearchAnswer } from '../../src/features/memory/memory.schemas.js';
import type { MemoryRecord } from '../../src/features/memory/records/memory.record.js';
import { startTestApp } from './app.js';

type Headers = Record<string, string>;

export async function startMemoryWorld(env: Record<string, string> = {}) {
  // Most tests of memory do not need an encoder, and run faster without one.
  const world = await startTestApp({ env: { EMBEDDER: 'none', ...env } });
  let agents = 0;
  const base = '/api/v1/memory';

  const asking = (bearer: Headers) => ({
    bearer,
    create: (fields: Record<string, unknown>) =>
      world.inject({
        method: 'POST',
        url: `${base}/memories`,
        headers: bearer,
        payload: { kind: 'fact', title: 'A title', body: 'A body', ...fields },
      }),
    async made(fields: Record<string, unknown>): Promise<MemoryRecord> {
      const response = await this.create(fields);
      if (response.statusCode !== 201) throw new Error(`create: ${response.statusCode} ${response.body}`);
      return response.json();
    },
    read: (id: string) => world.inject({ url: `${base}/memories/${id}`, headers: bearer }),
    change: (id: string, payload: object) =>
      world.inject({ method: 'PATCH', url: `${base}/memories/${id}`, headers: bearer, payload }),
    remove: (id: string) =>
      world.inject({ method: 'DELETE', url: `${base}/memories/${id}`, headers: bearer }),
    stats: (query = '') => world.inject({ url: `${base}/memories/stats${query}`, headers: bearer }),
    search: (agentId: string, query: Record<string, string> = {}) =>
      world.inject({
        method: 'POST',
        url: `${base}/agents/${agentId}/context`,
        headers: bearer,
        query: { format: 'json', ...query },
      }),
    async found(agentId: string, query: Record<string, string> = {}): Promise<SearchAnswer> {
      const response = await this.search(agentId, query);
      if (response.statusCode !== 200) throw new Error(`search: ${response.statusCode} ${response.body}`);
      return response.json();
    },
    async titles(agentId: string, query: string, more: Record<string, string> = {}): Promise<string[]> {
      return (await this.found(agentId, { query, ...more })).memories.map(({ title }) => title);
    },
    recall: (agentId: string, query: Record<string, string>) =>
      world.inject({
        method: 'POST',
        url: `${base}/agents/${agentId}/context/relevant`,
        headers: bearer,
        query: { format: 'json', ...query },
      }),
    source: (payload: object) =>
      world.inject({ method: 'POST', url: `${base}/sources`, headers: bearer, payload }),
    push: (payload: object) =>
      world.inject({ method: 'POST', url: `${base}/conversations`, headers: bearer, payload }),
    get: (path: string) => world.inject({ url: `${base}${path}`, headers: bearer }),
    send: (method: 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) =>
      world.inject({ method, url: `${base}${path}`, headers: bearer, payload }),
  });

  return {
    ...world,
    world,
    /** A workspace with the requests that its admin's token can make. */
    async workspace(fields: Record<string, unknown> = {}) {
      const workspace = await world.workspace(fields);
      return { ...workspace, ...asking(workspace.bearer) };
    },
    asking,
    agentId: () => `agent-${++agents}`,
    readYaml: (text: string) => parse(text) as SearchAnswer,
  };
}

export type MemoryWorld = Awaited<ReturnType<typeof startMemoryWorld>>;
export const WEEK = 7 * 24 * 3600;
