import { request as askHttp, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from './support/app.js';

let world: World;
let address: string;

beforeAll(async () => {
  world = await startTestApp({ env: { LOG_LEVEL: 'info', TRUSTED_PROXIES: '127.0.0.1' } });
  address = await world.server.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => world.stop());

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

const ask = (url: string, headers: object = {}, { method = 'GET', body = '' } = {}) =>
  new Promise<Answer>((resolve, reject) => {
    const asking = askHttp(`${address}${url}`, { method, headers: { ...headers } }, async (answer) => {
      const { statusCode: status, headers } = answer;
      const encoding = headers['content-encoding'];
      const bytes = Buffer.concat(await answer.toArray());
      const unpacked = encoding === 'br' ? brotliDecompressSync(bytes) : encoding ? gunzipSync(bytes) : bytes;
      resolve({ status, headers, body: unpacked.toString() });
    });
    asking.on('error', reject);
    asking.end(body);
  });

const membersOf = (brandId: number) => `/api/v1/brands/${brandId}/members`;

/** Removes the headers that differ between two answers. */
const lasting = ({ 'x-request-id': _id, date: _date, ...headers }: IncomingHttpHeaders) => headers;

const requestLines = () =>
  world.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');

describe('A cached answer', () => {
  it('equals the first answer, in headers and body', async () => {
    const { brand, bearer, cookie } = await world.workspace({ plan: 'team' });
    for (const [url, headers] of [
      ['/api/v1/system/info', {}],
      [membersOf(brand.brand_id), bearer],
      [membersOf(brand.brand_id), { cookie }],
      [`/api/v1/brands/${brand.brand_id}/features?format=yaml`, bearer],
      ['/api/v1/factory/coder-profiles', { ...bearer, 'accept-encoding': 'gzip' }],
      ['/api/v1/factory/coder-profiles', { ...bearer, 'x-forwarded-proto': 'https' }],
    ] as const) {
      const fresh = `${url}${url.includes('?') ? '&' : '?'}`;
      const made = await ask(fresh, headers);
      const ready = await ask(fresh, headers);
      expect(made.status, made.body).toBe(200);
      expect({ ...ready, headers: lasting(ready.headers) }).toEqual({
        ...made,
        headers: lasting(made.headers),
      });
      expect(ready.headers['x-request-id']).not.toBe(made.headers['x-request-id']);
    }
  });

  it("carries the caller's request id, and is logged like any other", async () => {
    const { brand, bearer } = await world.workspace();
    const url = membersOf(brand.brand_id);
    for (const id of ['first', 'second']) {
      const headers = { ...bearer, 'x-request-id': `lane-${id}`, 'x-forwarded-for': '192.0.2.7' };
      expect((await ask(url, headers)).headers['x-request-id']).toBe(`lane-${id}`);
    }
    const told = () => requestLines().filter(({ reqId }) => String(reqId).startsWith('lane-'));
    await expect.poll(told).toHaveLength(2);
    for (const line of told())
      expect(line).toMatchObject({
        method: 'GET',
        route: '/api/v1/brands/:brand_id/members',
        status: 200,
        address: '192.0.2.7',
      });
  });

  it('is refused to callers without permission, even after others received it', async () => {
    const space = await world.workspace();
    const stranger = await world.workspace();
    const url = membersOf(space.brand.brand_id);
    const unable = await world.token(space.brand, space.admin, ['code:read']);
    const able = await world.token(space.brand, space.admin, ['brand:read']);
    for (let time = 0; time < 2; time += 1) {
      expect((await ask(url, { authorization: `Bearer ${able}` })).status).toBe(200);
      expect((await ask(url)).status).toBe(401);
      expect((await ask(url, stranger.bearer)).status).toBe(404);
      expect((await ask(url, { authorization: `Bearer ${unable}` })).status).toBe(403);
    }
    const [token] = await world.database.db
      .selectFrom('tokens')
      .select('token_id')
      .where('brand_id', '=', space.brand.brand_id)
      .orderBy('created_at', 'desc')
      .execute();
    await world.operator('DELETE', `/tokens/${token!.token_id}`);
    expect((await ask(url, { authorization: `Bearer ${able}` })).status).toBe(401);
  });

  it('is compressed as the caller accepts', async () => {
    const { bearer } = await world.workspace({ plan: 'team' });
    const url = '/api/v1/factory/coder-profiles';
    const plain = await ask(url, bearer);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const [accepted, packing] of [
      ['gzip, deflate, br', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, GZIP;q=0.5', 'gzip'],
      ['*', 'br'],
      ['identity', undefined],
      ['br;q=0', undefined],
    ]) {
      const answer = await ask(url, { ...bearer, 'accept-encoding': accepted });
      expect([answer.status, answer.headers['content-encoding']], accepted).toEqual([200, packing]);
      expect(answer.body).toBe(plain.body);
    }
  });

  it('is sent in compressed chunks if it is long, so that it blocks no other request', async () => {
    const { brand, bearer } = await world.workspace();
    await sql`
      with people as (
        insert into users (email, full_name, kind, created_at)
        select 'long-' || i || '@example.com', repeat('Long Name ', 10) || i, 'person', now()
        from generate_series(1, 1000) i returning user_id
      )
      insert into memberships (brand_id, user_id, role, joined_at)
      select ${brand.brand_id}, user_id, 'member', now() from people`.execute(world.database.db);
    const url = membersOf(brand.brand_id);
    const plain = await ask(url, bearer);
    expect(plain.body.length).toBeGreaterThan(128 * 1024);
    for (let time = 0; time < 2; time += 1) {
      const { headers, body } = await ask(url, { ...bearer, 'accept-encoding': 'br' });
      expect(headers).toMatchObject({ 'content-encoding': 'br', 'transfer-encoding': 'chunked' });
      expect(body).toBe(plain.body);
    }
  });

  it('has no body for HEAD', async () => {
    const url = '/api/v1/system/info';
    const whole = await ask(url);
    const head = await ask(url, {}, { method: 'HEAD' });
    expect([head.status, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      whole.headers['content-length'],
    ]);
  });

  it('is refused with 400 to a request without a Host header', async () => {
    await ask('/api/v1/system/info');
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.end('GET /api/v1/system/info HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

it('cached answers count once each for RATE_LIMIT_PER_MINUTE', async () => {
  const limited = await startTestApp({
    people: 'limited',
    database: world.database,
    env: { RATE_LIMIT_PER_MINUTE: '12' },
  });
  try {
    const { brand, bearer } = await limited.workspace();
    const origin = await limited.server.listen({ port: 0, host: '127.0.0.1' });
    const statuses: number[] = [];
    for (let time = 0; time < 8; time += 1)
      statuses.push((await fetch(`${origin}${membersOf(brand.brand_id)}`, { headers: bearer })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  } finally {
    await limited.stop();
  }
});
