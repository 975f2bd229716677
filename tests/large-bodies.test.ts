import type { AddressInfo } from 'node:net';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from './support/app.js';
import { longestHold } from './support/event-loop.js';

/** 2 MiB of JSON with 699,050 empty objects, which compress to a few bytes. */
const PLAIN = Buffer.from(`[${Array(699_050).fill('{}').join(',')}]`);
const PACKED = brotliCompressSync(PLAIN);

let world: World;
let bearer: { authorization: string };
let url: string;

beforeAll(async () => {
  world = await startTestApp();
  await world.server.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(world.server.server.address() as AddressInfo).port}`;
  ({ bearer } = await world.workspace());
});

afterAll(() => world.stop());

const json = { 'content-type': 'application/json' };
const send = async (path: string, body: Buffer, headers: Record<string, string>): Promise<number> => {
  const answer = await fetch(url + path, { method: 'POST', headers: { ...json, ...headers }, body });
  await answer.arrayBuffer();
  return answer.status;
};

/** Sends 100 requests at once and counts the health checks that succeed until the last answer. */
async function flood(path: string, body: Buffer, headers: Record<string, string>) {
  let healthy = 0;
  let over = false;
  const statuses = new Set<number>();
  const hold = await longestHold(async () => {
    const requests = Promise.all(
      Array.from({ length: 100 }, async () => statuses.add(await send(path, body, headers))),
    ).finally(() => {
      over = true;
    });
    do {
      const { status } = await fetch(`${url}/api/v1/system/health`);
      expect(status).toBe(200);
      healthy += 1;
    } while (!over);
    await requests;
  });
  // A busy machine may refuse some of the 100 requests with 503 as overload.
  statuses.delete(503);
  return { statuses: [...statuses], healthy, hold };
}

/** Parsing one such body takes less than this, and parsing all 100 takes about 100 s. */
const BOUND_MS = 2_000;

describe('A small compressed body that expands to 2 MiB, sent 100 times at once', () => {
  it.each([
    '/api/v1/auth/login',
    '/api/v1/auth/forgot-password',
    '/api/v1/auth/reset-password',
    '/api/v1/auth/mfa',
    '/api/v1/invitations/abc/accept',
  ])('is refused without decompressing on a public route: POST %s', async (path) => {
    const packed = await flood(path, PACKED, { 'content-encoding': 'br' });
    expect(packed.statuses).toEqual([415]);
    expect(packed.hold).toBeLessThan(BOUND_MS);
    expect(await send(path, PLAIN, {})).toBe(413);
  });

  it.each(['/api/v1/board/boards', '/api/v1/me/tokens', '/mcp', '/api/v1/desk/hello'])(
    'gets 401 before its encoding is checked if the credential is missing: POST %s',
    async (path) => {
      expect(await send(path, PACKED, { 'content-encoding': 'br' })).toBe(401);
      expect(await send(path, PACKED, { 'content-encoding': 'nonsense' })).toBe(401);
    },
  );

  it.each(['/api/v1/board/boards', '/mcp'])('gets 413 for a member: POST %s', async (path) => {
    const packed = await flood(path, PACKED, { ...bearer, 'content-encoding': 'br' });
    expect(packed.statuses).toEqual([413]);
    expect(packed.hold).toBeLessThan(BOUND_MS);
    expect(await send(path, PLAIN, bearer)).toBe(422);
  });
});

describe('POST /mcp', () => {
  it('accepts at most 100 messages in a batch', async () => {
    const messages = (count: number) =>
      Buffer.from(
        JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }))),
      );
    expect(await send('/mcp', messages(100), bearer)).toBe(200);
    const refused = await world.inject({
      method: 'POST',
      url: '/mcp',
      headers: { ...json, ...bearer },
      payload: messages(101),
    });
    expect([refused.statusCode, refused.json()]).toEqual([
      422,
      { detail: 'The body must have at most 100 messages' },
    ]);
  });
});
