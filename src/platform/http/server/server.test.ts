import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWN, startHttp, type TestServer } from '../../../../tests/support/http.js';
import { eventStream } from '../answer/answers.js';
import { memberAccess, publicAccess, type Route, route, textParam } from '../declaration/route.js';
import { Closed } from '../declaration/schemas.js';

const SECRET = 'guild_pat_in_an_error_message';
const base = {
  name: 'do_things',
  method: 'GET' as const,
  summary: 'A test',
  tags: ['Test'] as [string],
  access: publicAccess(),
  responses: { 200: Type.Any() },
  errors: [],
};
const large = { text: 'guildhall '.repeat(1_000) };
let streams = 0;

async function* tick() {
  streams += 1;
  try {
    for (let n = 1; ; n++) {
      yield { id: String(n), event: 'tick', data: { n } };
      await pause(5);
    }
  } finally {
    streams -= 1;
  }
}

const routes: Route[] = [
  route({ ...base, path: '/small', handler: () => ({ ok: true }) }),
  route({ ...base, path: '/large', handler: () => large }),
  route({
    ...base,
    path: '/events',
    responses: { 200: { contentType: 'text/event-stream', description: 'Events' } },
    handler: () => eventStream(tick()),
  }),
  route({
    ...base,
    path: '/fault',
    handler: () => {
      throw new Error(`select * from users where token = '${SECRET}'`);
    },
  }),
  route({
    ...base,
    path: '/database-fault',
    handler: () => {
      throw Object.assign(new Error(`duplicate key ${SECRET}`), {
        severity: 'ERROR',
        code: '23505',
        detail: `Key (token)=(${SECRET}) already exists.`,
        where: `SQL statement "select '${SECRET}'"`,
        constraint: 'tokens_hash_unique',
      });
    },
  }),
  route({ ...base, path: '/things/{id}', params: { id: textParam() }, handler: ({ params }) => params }),
  route({
    ...base,
    path: '/closed/{id}',
    access: memberAccess(),
    params: { id: textParam() },
    handler: ({ params }) => params,
  }),
  route({
    ...base,
    path: '/closed/{id}/parts',
    access: memberAccess(),
    params: { id: textParam() },
    handler: ({ params }) => params,
  }),
  route({ ...base, path: '/things:near', handler: () => ({ verb: 'near' }) }),
  route({
    ...base,
    method: 'DELETE',
    path: '/things/{id}',
    params: { id: textParam() },
    handler: ({ params }) => params,
  }),
  route({
    ...base,
    method: 'POST',
    path: '/things',
    access: memberAccess(),
    query: Type.Object({ q: Type.Optional(Type.String()) }),
    body: Closed({ name: Type.Optional(Type.String()) }),
    handler: ({ body, query }) => ({ body, query }),
  }),
];

let http: TestServer;

beforeAll(async () => {
  http = await startHttp(routes);
});

afterAll(() => http.server.close());

describe('X-Request-Id', () => {
  const idOf = async (url: string, given?: string) =>
    (await http.inject({ url, headers: given === undefined ? {} : { 'x-request-id': given } })).headers[
      'x-request-id'
    ];

  it('is copied from a valid request header to every kind of response', async () => {
    for (const url of ['/small', '/fault', '/nowhere', '/things/%ZZ', '/large'])
      expect(await idOf(url, 'trace-1.a:B_2')).toBe('trace-1.a:B_2');
  });

  it.each(['', 'with space', 'x'.repeat(129), 'a"b', '<script>', 'ä', 'a,b', '{}'])(
    'is generated for %j',
    async (given) => {
      expect(await idOf('/small', given)).toMatch(/^[0-9a-f-]{36}$/);
      expect(await idOf('/nowhere', given)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  it('is unique for every request without one, and may have 128 characters', async () => {
    expect(await idOf('/small')).not.toBe(await idOf('/small'));
    expect(await idOf('/small', 'x'.repeat(128))).toBe('x'.repeat(128));
  });

  it('is in the log line of the request', async () => {
    await http.inject({
      url: '/things/some-secret-path?q=secret-query',
      headers: { 'x-request-id': 'find-me' },
    });
    const line = http.logLines.map((each) => JSON.parse(each)).find(({ reqId }) => reqId === 'find-me');
    expect(line).toMatchObject({ method: 'GET', route: '/things/:id', status: 200, msg: 'request' });
    expect(http.logLines.join()).not.toMatch(/secret-path|secret-query/);
  });
});

describe('Unexpected error', () => {
  it('returns only `Internal error`, and the log has no stack, SQL or values', async () => {
    for (const url of ['/fault', '/database-fault']) {
      const answer = await http.inject({ url, headers: { 'x-request-id': `fault${url}`.replace('/', '-') } });
      expect([answer.statusCode, answer.json()]).toEqual([500, { detail: 'Internal error' }]);
    }
    const line = http.logLines
      .map((each) => JSON.parse(each))
      .find(({ reqId, err }) => err && reqId === 'fault-database-fault');
    expect(line.err).toEqual({
      type: 'Error',
      code: '23505',
      constraint: 'tokens_hash_unique',
      at: expect.stringMatching(/server\.test\.ts:\d+$/),
    });
    expect(http.logLines.some((each) => each.includes('\\n    at '))).toBe(false);
    expect(http.logLines.join()).not.toContain(SECRET);
  });
});

describe('Response headers', () => {
  it('prevent content sniffing and referrer leaks on every response', async () => {
    for (const url of ['/small', '/fault', '/nowhere']) {
      const { headers } = await http.inject({ url });
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['content-security-policy']).toBe(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox",
      );
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      expect(headers['x-powered-by']).toBeUndefined();
    }
  });

  it('allow no cross-origin access', async () => {
    const origin = 'https://evil.example';
    for (const request of [
      { url: '/small' },
      { method: 'OPTIONS' as const, url: '/things' },
      { method: 'POST' as const, url: '/things' },
    ]) {
      const { headers } = await http.inject({
        ...request,
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});

describe('Compression', () => {
  it('follows Accept-Encoding for large responses and sets Vary', async () => {
    const gzip = await http.inject({ url: '/large', headers: { 'accept-encoding': 'gzip' } });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(String(gzip.headers['vary']).toLowerCase()).toContain('accept-encoding');
    expect(JSON.parse(gunzipSync(gzip.rawPayload).toString())).toEqual(large);
    expect(
      (await http.inject({ url: '/large', headers: { 'accept-encoding': 'br, gzip' } })).headers[
        'content-encoding'
      ],
    ).toBe('br');
  });

  it('is skipped for small responses and for callers that do not accept it', async () => {
    const small = await http.inject({ url: '/small', headers: { 'accept-encoding': 'gzip' } });
    expect(small.headers['content-encoding']).toBeUndefined();
    const plain = await http.inject({ url: '/large' });
    expect([plain.headers['content-encoding'], plain.json()]).toEqual([undefined, large]);
    const unknown = await http.inject({ url: '/large', headers: { 'accept-encoding': 'rot13' } });
    expect([unknown.statusCode, unknown.json()]).toEqual([200, large]);
  });
});

describe('Paths, methods and queries', () => {
  it('a custom verb has its own route', async () => {
    expect((await http.inject({ url: '/things:near' })).json()).toEqual({ verb: 'near' });
    expect((await http.inject({ url: '/things:far' })).statusCode).toBe(404);
  });

  it('a path parameter may have more than 255 characters and is decoded', async () => {
    const long = 'x'.repeat(255);
    expect((await http.inject({ url: `/things/${long}` })).json()).toEqual({ id: long });
    expect((await http.inject({ url: '/things/a%2Fb%20%E2%82%AC' })).json()).toEqual({ id: 'a/b €' });
    expect((await http.inject({ url: `/things/${'x'.repeat(3_000)}` })).statusCode).toBe(404);
    expect((await http.inject({ url: '/things/%00' })).statusCode).toBe(404);
  });

  it('a path with an empty parameter returns 404, with or without a credential', async () => {
    for (const url of ['/things/', '/closed/', '/closed//parts']) {
      const answer = await http.inject({ url });
      expect([answer.statusCode, answer.json()], url).toEqual([404, { detail: 'Not found' }]);
    }
    expect((await http.inject({ url: '/closed/1/parts' })).statusCode).toBe(401);
  });

  it('HEAD returns the same as GET without the body', async () => {
    const head = await http.inject({ method: 'HEAD', url: '/small' });
    expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([200, '', '11']);
    const stream = await http.inject({ method: 'HEAD', url: '/events' });
    expect([stream.statusCode, stream.body]).toEqual([200, '']);
    expect(streams).toBe(0);
  });

  it('a wrong method returns 405 with the known methods in Allow', async () => {
    const wrong = await http.inject({ method: 'PUT', url: '/things/1?x=1' });
    expect([wrong.statusCode, wrong.json()]).toEqual([405, { detail: 'Method not allowed' }]);
    expect(String(wrong.headers['allow']).split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD']);
  });

  it('a repeated query parameter returns 422, and an unknown one is ignored', async () => {
    const post = (query: string) =>
      http.inject({ method: 'POST', url: `/things?${query}`, headers: KNOWN.bearer, payload: {} });
    const twice = await post('q=a&q=b');
    expect([twice.statusCode, twice.json()]).toEqual([422, { detail: 'q must be a string' }]);
    expect((await post('q=a&other=1&other=2')).json()).toEqual({ body: {}, query: { q: 'a' } });
  });
});

describe('Request body', () => {
  const post = (payload: string | Buffer | undefined, type?: string) =>
    http.inject({
      method: 'POST',
      url: '/things',
      headers: { ...KNOWN.bearer, ...(type !== undefined && { 'content-type': type }) },
      payload,
    });

  it('is JSON for any case and parameters of its type', async () => {
    for (const type of ['application/json', 'Application/JSON', 'application/json; charset=utf-8'])
      expect((await post('{"name":"ä"}', type)).json()).toEqual({ body: { name: 'ä' }, query: {} });
  });

  it('may be absent when it has no required field', async () => {
    expect((await post(undefined)).json()).toEqual({ body: {}, query: {} });
    expect((await post('', 'application/json')).json()).toEqual({ body: {}, query: {} });
  });

  it('returns 415 for another type or none', async () => {
    for (const type of ['text/plain', 'application/jsonp', 'application/problem+json', 'x'])
      expect((await post('{}', type)).statusCode, type).toBe(415);
    expect((await post(Buffer.from('{}'), '')).statusCode).toBe(415);
  });

  it('is ignored when none is declared', async () => {
    const answer = await http.inject({
      method: 'DELETE',
      url: '/things/1',
      headers: { 'content-type': 'application/json' },
      payload: '{"no json',
    });
    expect(answer.statusCode).toBe(200);
  });
});

describe('Server on a socket', () => {
  let own: TestServer;
  let port: number;

  beforeAll(async () => {
    own = await startHttp(routes);
    await own.server.listen({ port: 0, host: '127.0.0.1' });
    port = (own.server.server.address() as { port: number }).port;
  });

  const talk = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('close', () => resolve(received));
      socket.on('error', reject);
    });

  it.each([
    ['GARBAGE\r\n\r\n', 400, 'The request could not be read'],
    ['GET /small HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'The Host header is missing'],
    [
      'GET /small HTTP/1.1\r\nHost: a\r\nhost: b\r\nConnection: close\r\n\r\n',
      400,
      'The request has more than one Host header',
    ],
    [`GET /${'x'.repeat(40_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'The head of the request is too large'],
  ])('responds to bytes that are not HTTP in the usual error format', async (bytes, status, detail) => {
    const [head = '', body = ''] = (await talk(bytes)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/);
    expect(JSON.parse(body)).toEqual({ detail });
  });

  it.each([
    ['with a known length', (bytes: number) => `Content-Length: ${bytes}\r\n\r\n`],
    ['in chunks', () => 'Transfer-Encoding: chunked\r\n\r\n'],
  ])('delivers the 413 for an oversized body sent %s, however slowly', async (_, lengthOf) => {
    const piece = Buffer.alloc(512 * 1024, ' ');
    const pieces = 16;
    const head = `POST /things HTTP/1.1\r\nHost: a\r\nAuthorization: ${KNOWN.bearer.authorization}\r\nContent-Type: application/json\r\n`;
    const socket = connect(port, '127.0.0.1');
    const broken = new Promise<never>((_resolve, reject) => socket.once('error', reject));
    const send = (bytes: string | Buffer) =>
      Promise.race([broken, new Promise((resolve) => socket.write(bytes, resolve))]);
    const length = lengthOf(piece.length * pieces);
    await send(head + length);
    for (let n = 0; n < pieces; n++) {
      if (length.startsWith('T')) await send(`${piece.length.toString(16)}\r\n`);
      await send(piece);
      if (length.startsWith('T')) await send(n === pieces - 1 ? '\r\n0\r\n\r\n' : '\r\n');
      await pause(10);
    }
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    await send('GET /small HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    await Promise.race([broken, new Promise((resolve) => socket.once('close', resolve))]);
    expect(received).toContain('HTTP/1.1 413 ');
    expect(received).toContain('The body is larger than 2 MiB');
    expect(received).toContain('{"ok":true}');
  });

  it('ignores an unknown expectation', async () => {
    const lines = ['GET /small HTTP/1.1', 'Host: a', 'Expect: wonders', 'Connection: close', '', ''];
    const [head = '', body = ''] = (await talk(lines.join('\r\n'))).split('\r\n\r\n');
    expect(head).toContain('HTTP/1.1 200 ');
    expect(head).toMatch(/x-request-id: [0-9a-f-]{36}/);
    expect(JSON.parse(body)).toEqual({ ok: true });
  });

  it('sends events one by one, uncompressed, and ends the stream when the caller disconnects', async () => {
    const stop = new AbortController();
    const answer = await fetch(`http://127.0.0.1:${port}/events`, {
      headers: { 'accept-encoding': 'gzip' },
      signal: stop.signal,
    });
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(answer.headers.get('content-encoding')).toBeNull();
    let received = '';
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) {
      received += decoder.decode(chunk as Uint8Array, { stream: true });
      if (received.includes('"n":2')) break;
    }
    stop.abort();
    expect(received).toContain('id: 1\nevent: tick\ndata: {"n":1}\n\n');
    await expect.poll(() => streams).toBe(0);
  });

  it('ends open streams on stop, without waiting for them or for connections without a request', async () => {
    const silent = connect(port, '127.0.0.1');
    const hungUp = new Promise((resolve) => silent.on('error', () => {}).once('close', resolve));
    await new Promise((resolve) => own.server.server.once('connection', resolve));
    const answer = await fetch(`http://127.0.0.1:${port}/events`);
    const received = answer.text();
    await own.server.close();
    await hungUp;
    // The last line sets the reconnect delay of the reader.
    expect(await received).toMatch(/\n\nretry: \d{3,4}\n\n$/);
    await expect.poll(() => streams).toBe(0);
  });
});
