import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnPostgres } from './support/own-postgres.js';
import { makeDataDir, Program } from './support/program.js';
import { ADMIN_KEY } from './support/world-calls.js';

/** Restarts two nodes one after the other, behind a proxy that follows their health, while people work. */

let data: Awaited<ReturnType<typeof makeDataDir>>;
let postgres: Awaited<ReturnType<typeof startOwnPostgres>>;
let proxy: Server;
let address: string;

interface Node {
  program: Program;
  url: string;
  healthy: boolean;
}
const nodes: Node[] = [];

async function startNode(): Promise<Node> {
  const { host, port, user, database } = postgres.database.connection;
  const program = new Program({
    DATA_DIR: data.path,
    DATABASE_URL: `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    ADMIN_API_KEY: ADMIN_KEY,
    GUILDHALL_DEMO: '0',
    EMBEDDER: 'none',
    LOG_LEVEL: 'warn',
    // Long enough for the proxy to notice even on a slow machine.
    DRAIN_SECONDS: '15',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  const node = { program, url: await program.ready(), healthy: true };
  nodes.push(node);
  return node;
}

const isHealthy = (url: string) =>
  fetch(`${url}/api/v1/system/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/** A minimal proxy that checks health twice a second and picks healthy nodes round-robin. */
function startProxy(): Server {
  let turn = 0;
  const look = setInterval(async () => {
    for (const node of nodes) node.healthy = await isHealthy(node.url);
  }, 500);
  const server = createServer((asked, answer) => {
    const healthy = nodes.filter((node) => node.healthy);
    const { url } = healthy[turn++ % healthy.length]!;
    const passed = httpRequest(
      url + asked.url,
      { method: asked.method, headers: asked.headers, agent: false },
      (response) => {
        answer.writeHead(response.statusCode!, response.headers);
        response.pipe(answer);
        response.on('error', () => answer.destroy());
      },
    );
    passed.on('error', () => answer.writeHead(502).end());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  server.on('close', () => clearInterval(look));
  return server;
}

beforeAll(async () => {
  data = await makeDataDir();
  postgres = await startOwnPostgres();
  await startNode();
  await startNode();
  proxy = startProxy();
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

afterAll(async () => {
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  for (const { program } of nodes) await program.end('SIGKILL');
  await postgres.end();
  await data.remove();
});

const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
  fetch(`${address}/api/v1${path}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  });

const operator = async <T>(method: string, path: string, body: object): Promise<T> =>
  (await (await call(method, `/admin${path}`, { 'x-admin-key': ADMIN_KEY }, body)).json()) as T;

async function makeToken(): Promise<Record<string, string>> {
  const { brand_id } = await operator<{ brand_id: number }>('POST', '/brands', { name: 'Rolling' });
  const { user_id } = await operator<{ user_id: number }>('POST', '/users', {
    email: 'rolling@example.test',
    full_name: 'Rolling',
  });
  await operator('PUT', `/brands/${brand_id}/members/${user_id}`, { role: 'admin' });
  const { token } = await operator<{ token: string }>('POST', `/brands/${brand_id}/tokens`, {
    user_id,
    name: 'rolling',
    scopes: ['brand:read', 'memory:write'],
  });
  return { authorization: `Bearer ${token}` };
}

describe('A rolling restart of two nodes under load', () => {
  it('fails no request, and its streams send a retry time and skip nothing after they reconnect', async () => {
    const bearer = await makeToken();
    const board = (await (await call('POST', '/board/boards', bearer, { name: 'Board' })).json()) as {
      board_id: string;
    };
    const over = new AbortController();
    const statuses: number[] = [];
    const made: string[] = [];

    const work = async () => {
      while (!over.signal.aborted) {
        const title = `Card ${made.length} ${statuses.length}`;
        const written = await call('POST', `/board/boards/${board.board_id}/tasks`, bearer, { title });
        if (written.status === 201) made.push(((await written.json()) as { id: string }).id);
        statuses.push(written.status, (await call('GET', '/board/boards', bearer)).status);
      }
    };

    const seen = new Set<string>();
    let hints = 0;
    let lastId = '';
    const follow = async () => {
      while (!over.signal.aborted) {
        const stream = await fetch(`${address}/api/v1/board/activity/boards/${board.board_id}/stream`, {
          headers: { ...bearer, ...(lastId && { 'last-event-id': lastId }) },
          signal: over.signal,
        }).catch(() => undefined);
        let rest = '';
        try {
          for await (const chunk of stream?.body ?? []) {
            const parts = (rest + Buffer.from(chunk as Uint8Array).toString()).split('\n\n');
            rest = parts.pop()!;
            for (const part of parts) {
              if (/^retry: \d+$/m.test(part)) hints += 1;
              lastId = /^id: (.+)$/m.exec(part)?.[1] ?? lastId;
              for (const id of part.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? []) seen.add(id);
            }
          }
        } catch {
          // The loop reconnects.
        }
      }
    };

    const working = [work(), work(), follow()];
    for (const node of [...nodes]) {
      await expect.poll(() => statuses.length).toBeGreaterThan(10);
      const before = statuses.length;
      node.program.signal('SIGTERM');
      expect(await node.program.exited).toBe(0);
      nodes.splice(nodes.indexOf(node), 1);
      await startNode();
      await expect.poll(() => statuses.length).toBeGreaterThan(before + 10);
    }
    const all = [...made];
    await expect.poll(() => all.filter((id) => !seen.has(id))).toEqual([]);
    over.abort();
    await Promise.all(working);
    expect(statuses.filter((status) => status >= 400)).toEqual([]);
    expect(hints).toBeGreaterThan(0);
  });
});
