import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDesks } from './desk-end-to-end/desk-world.js';
import { startTestApp, type World } from './support/app.js';

/** The answers that callers get under overload, when all connections to the database are taken. */

const POOL_SIZE = 10;
let world: World;
let port: number;
let home: Awaited<ReturnType<World['workspace']>>;
let deskHeaders: Record<string, string>;
const agent = new Agent({ keepAlive: true });

beforeAll(async () => {
  world = await startTestApp({ env: { RATE_LIMIT_PER_MINUTE: '6000' }, longestWaitMs: 1000 });
  const desks = addDesks(world);
  const space = await desks.workspace();
  deskHeaders = { authorization: `Bearer ${(await desks.order(space)).pat}` };
  home = await world.workspace();
  await world.server.listen({ port: 0, host: '127.0.0.1' });
  port = (world.server.server.address() as AddressInfo).port;
});

afterAll(async () => {
  agent.destroy();
  await world.stop();
});

interface Answer {
  status: number;
  retryAfter: string | undefined;
  requestId: string | undefined;
  detail: unknown;
}

const call = (path: string, headers: Record<string, string> = {}, body?: object): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(
      {
        port,
        host: '127.0.0.1',
        path,
        agent,
        method: body ? 'POST' : 'GET',
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        const { 'retry-after': retryAfter, 'x-request-id': requestId } = response.headers;
        resolve({
          status: response.statusCode!,
          retryAfter,
          requestId: requestId as string,
          detail: (JSON.parse(text) as { detail?: unknown }).detail,
        });
      },
    );
    asked.on('error', reject);
    asked.end(body && JSON.stringify(body));
  });

const listBoards = () => call('/api/v1/board/boards', home.bearer);

describe('Overload', () => {
  it('refuses requests early with 503 and Retry-After, still serves health checks and desk heartbeats, and recovers', async () => {
    expect((await listBoards()).status).toBe(200);
    const held: pg.PoolClient[] = [];
    for (let n = 0; n < POOL_SIZE; n += 1) held.push(await world.database.pool.connect());

    const waiting: Promise<Answer>[] = [listBoards()];
    const refused = async () => {
      const answer = await Promise.race([
        listBoards(),
        new Promise<undefined>((resolve) => setTimeout(resolve, 50, undefined)),
      ]);
      return answer?.status;
    };
    await expect
      .poll(
        async () => {
          waiting.push(...Array.from({ length: 8 }, listBoards));
          return refused();
        },
        { interval: 20 },
      )
      .toBe(503);
    expect(await listBoards()).toEqual({
      status: 503,
      retryAfter: '2',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      detail: 'The service is overloaded; try again shortly',
    });
    expect((await call('/api/v1/system/health')).status).toBe(200);
    expect((await call('/api/v1/desk/heartbeat', deskHeaders, {})).status).toBe(200);

    for (const client of held) client.release();
    await Promise.all(waiting);
    await expect.poll(async () => (await listBoards()).status).toBe(200);
    const after = await Promise.all(Array.from({ length: 12 }, listBoards));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
    const { body } = await world.inject({ url: '/metrics', headers: { 'x-admin-key': 'test-admin-key' } });
    expect(body).toMatch(/guildhall_http_requests_refused_total\{reason="overload"\} [1-9]/);
  });
});

describe('Event streams', () => {
  it('limit each person to 50 at once and answer one more with 429 and Retry-After', async () => {
    const open = new AbortController();
    const follow = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/api/v1/me/inbox/stream`, { headers, signal: open.signal });
    const first = await Promise.all(Array.from({ length: 50 }, () => follow({ cookie: home.cookie })));
    expect(first.map(({ status }) => status)).toEqual(first.map(() => 200));
    const tooMany = await follow({ cookie: home.cookie });
    expect([tooMany.status, tooMany.headers.get('retry-after'), await tooMany.json()]).toEqual([
      429,
      '10',
      { detail: 'You follow 50 streams already; end one first' },
    ]);
    const other = await world.workspace();
    expect((await follow({ cookie: other.cookie })).status).toBe(200);
    open.abort();
    await expect
      .poll(async () => {
        const again = new AbortController();
        const { status } = await fetch(`http://127.0.0.1:${port}/api/v1/me/inbox/stream`, {
          headers: { cookie: home.cookie },
          signal: again.signal,
        });
        again.abort();
        return status;
      })
      .toBe(200);
  });
});

describe('RATE_LIMIT_PER_MINUTE', () => {
  it('limits a workspace, and answers 429 with Retry-After and RateLimit headers', async () => {
    const limited = await startTestApp({ database: world.database, env: { RATE_LIMIT_PER_MINUTE: '6' } });
    const ask = (headers: Record<string, string> = home.bearer) =>
      limited.inject({ url: '/api/v1/board/boards', headers });
    for (let n = 0; n < 3; n += 1) expect((await ask()).statusCode).toBe(200);
    expect((await ask()).headers['ratelimit-policy']).toBe('"credential";q=3;w=60');
    for (let n = 0; n < 3; n += 1) expect((await ask({ cookie: home.cookie })).statusCode).toBe(200);
    const refused = await ask();
    expect([refused.statusCode, refused.headers['ratelimit-policy']]).toEqual([429, '"workspace";q=6;w=60']);
    expect(refused.headers['ratelimit']).toMatch(/^"workspace";r=0;t=\d+$/);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    limited.clock.advance(180);
    expect((await ask()).statusCode).toBe(200);
    await limited.stop();
  });
});
