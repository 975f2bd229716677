import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deeply } from '../../../../tests/support/deep.js';
import { longestHold } from '../../../../tests/support/event-loop.js';
import { KNOWN, startHttp, type TestServer } from '../../../../tests/support/http.js';
import { memberAccess, optionalSessionAccess, publicAccess, route } from '../declaration/route.js';

const MEBIBYTE = 1024 * 1024;
let http: TestServer;

const declare = (path: string, fields: Partial<Parameters<typeof route>[0]>) =>
  route({
    name: 'do_things',
    method: 'POST',
    path,
    summary: 'A test',
    tags: ['Test'],
    access: memberAccess(),
    responses: { 200: Type.Any() },
    errors: [],
    handler: () => ({}),
    ...fields,
  });

beforeAll(async () => {
  const Note = Type.Object({ text: Type.String() });
  http = await startHttp([
    declare('/note', {
      body: Note,
      handler: ({ body }) => ({ size: (body as { text: string }).text.length }),
    }),
    declare('/large', {
      body: Note,
      largestBody: 5 * MEBIBYTE,
      handler: ({ body }) => ({ size: (body as { text: string }).text.length }),
    }),
    declare('/public', { access: publicAccess(), body: Note }),
    declare('/optional', { access: optionalSessionAccess(), body: Note }),
    declare('/ask', { access: publicAccess() }),
    declare('/any', { body: Type.Unsafe({ 'x-any-json': true }), handler: () => ({}) }),
    declare('/photo', {
      upload: { field: 'file', maxBytes: 5 * MEBIBYTE, description: 'A picture' },
      handler: ({ file }) => ({ size: file?.bytes.length }),
    }),
  ]);
});

afterAll(() => http.server.close());

const JSON_BODY = Buffer.from('{"text":"hello"}');
const post = (payload: Buffer, encoding: string, url = '/note', headers: Record<string, string> = {}) =>
  http.inject({
    method: 'POST',
    url,
    headers: {
      ...KNOWN.bearer,
      'content-type': 'application/json',
      'content-encoding': encoding,
      ...headers,
    },
    payload,
  });

const note = (length: number) => Buffer.from(JSON.stringify({ text: 'x'.repeat(length - 11) }));

describe('Body with a Content-Encoding', () => {
  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ])('is decoded for %s', async (encoding, encode) => {
    const answer = await post(encode(JSON_BODY) as Buffer, encoding);
    expect([answer.statusCode, answer.json()]).toEqual([200, { size: 5 }]);
  });

  it.each(['gzip', 'deflate', 'br'])('returns 400 when it does not decode as %s', async (encoding) => {
    for (const payload of [JSON_BODY, Buffer.from([0]), Buffer.alloc(5_000, 0xff)]) {
      const answer = await post(payload, encoding);
      expect([answer.statusCode, answer.json()]).toEqual([
        400,
        { detail: `The body does not decode as ${encoding}` },
      ]);
    }
  });

  it('returns 400 when it is truncated', async () => {
    const whole = gzipSync(note(100_000));
    expect((await post(whole.subarray(0, whole.length - 20), 'gzip')).statusCode).toBe(400);
    expect((await post(brotliCompressSync(JSON_BODY).subarray(0, 5), 'br')).statusCode).toBe(400);
  });

  it.each(['zstd', 'compress', 'gzip, br', 'gzip,gzip', 'nonsense', '*'])(
    'returns 415 for %s',
    async (encoding) => {
      const answer = await post(JSON_BODY, encoding);
      expect([answer.statusCode, answer.json()]).toEqual([
        415,
        { detail: 'Content-Encoding must be gzip, deflate or br' },
      ]);
    },
  );

  it('is checked after the credential, and only on routes with a body', async () => {
    expect((await post(JSON_BODY, 'nonsense', '/note', { authorization: '' })).statusCode).toBe(401);
    expect((await post(JSON_BODY, 'nonsense', '/note')).statusCode).toBe(415);
    expect((await post(JSON_BODY, 'nonsense', '/ask')).statusCode).toBe(200);
    expect((await post(JSON_BODY, 'gzip', '/ask')).statusCode).toBe(200);
  });

  it('is decoded and checked in an upload too', async () => {
    const form = Buffer.from(
      '--edge\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc\r\n--edge--\r\n',
    );
    const type = { 'content-type': 'multipart/form-data; boundary=edge' };
    expect((await post(gzipSync(form), 'gzip', '/photo', type)).json()).toEqual({ size: 3 });
    expect((await post(form, 'gzip', '/photo', type)).statusCode).toBe(400);
    expect((await post(form, 'nonsense', '/photo', type)).statusCode).toBe(415);
  });

  it('returns 413 at the size limit without decoding the rest', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MEBIBYTE, 0x20));
    const before = process.memoryUsage().rss;
    const answer = await post(bomb, 'gzip');
    expect([answer.statusCode, answer.json()]).toEqual([413, { detail: 'The body is larger than 2 MiB' }]);
    expect(process.memoryUsage().rss - before).toBeLessThan(60 * MEBIBYTE);
    const form = Buffer.concat([Buffer.from('--edge\r\n'), Buffer.alloc(100 * MEBIBYTE, 0x20)]);
    const type = { 'content-type': 'multipart/form-data; boundary=edge' };
    expect((await post(gzipSync(form), 'gzip', '/photo', type)).statusCode).toBe(413);
  });
});

describe('Body size limit', () => {
  it('is 2 MiB or the limit of the route, and one byte more returns 413', async () => {
    for (const [url, limit, words] of [
      ['/note', 2 * MEBIBYTE, '2 MiB'],
      ['/large', 5 * MEBIBYTE, '5 MiB'],
    ] as const) {
      expect((await post(note(limit), 'identity', url)).json()).toEqual({ size: limit - 11 });
      expect((await post(gzipSync(note(limit)), 'gzip', url)).json()).toEqual({ size: limit - 11 });
      for (const [payload, encoding] of [
        [note(limit + 1), 'identity'],
        [gzipSync(note(limit + 1)), 'gzip'],
      ] as const) {
        const answer = await post(payload, encoding, url);
        expect([answer.statusCode, answer.json()]).toEqual([
          413,
          { detail: `The body is larger than ${words}` },
        ]);
      }
    }
  });
});

describe('Body with a high compression ratio', () => {
  const bomb = brotliCompressSync(Buffer.from(`[${Array(699_050).fill('{}').join(',')}]`));

  it('returns 413 when the ratio is more than gzip can produce', async () => {
    expect(bomb.length).toBeLessThan(60);
    const answer = await post(bomb, 'br', '/any');
    expect([answer.statusCode, answer.json()]).toEqual([
      413,
      { detail: 'The body unpacks to more than 1,100 times what was sent' },
    ]);
    expect((await post(brotliCompressSync(note(60_000)), 'br')).statusCode).toBe(200);
    expect((await post(gzipSync(Buffer.alloc(MEBIBYTE, '[{},{}]')), 'gzip', '/any')).statusCode).toBe(422);
  });

  deeply(it)(
    'keeps memory flat and does not delay another workspace for a hundred compressed bodies at once',
    async () => {
      const full = Buffer.from(JSON.stringify(Array.from({ length: 99_000 }, (_, n) => `number ${n}`)));
      const packed = gzipSync(full);
      await post(packed, 'gzip', '/any');
      const before = process.memoryUsage().rss;
      let answered = 0;
      const large = Array.from({ length: 100 }, (_, n) =>
        (n % 2 ? post(packed, 'gzip', '/any') : post(full, 'identity', '/any')).then(({ statusCode }) => {
          if (statusCode === 200) answered += 1;
          return statusCode;
        }),
      );
      const small = post(JSON_BODY, 'identity', '/note', KNOWN.otherWorkspace).then(({ statusCode }) => [
        statusCode,
        answered,
      ]);
      const [status, answeredBefore] = await small;
      expect(status).toBe(200);
      expect(answeredBefore).toBeLessThan(10);
      const hold = await longestHold(() => Promise.all(large));
      const statuses = await Promise.all(large);
      expect(statuses).toContain(200);
      expect(statuses.filter((each) => each !== 200 && each !== 503)).toEqual([]);
      expect(hold).toBeLessThan(2_000);
      expect(process.memoryUsage().rss - before).toBeLessThan(400 * MEBIBYTE);
    },
  );
});

describe('Caller without a credential', () => {
  const anonymous = { authorization: '' };

  it('can send at most 16 KiB, with or without a Content-Length', async () => {
    expect((await post(note(16 * 1024), 'identity', '/public', anonymous)).statusCode).toBe(200);
    const answer = await post(note(16 * 1024 + 1), 'identity', '/public', anonymous);
    expect([answer.statusCode, answer.json()]).toEqual([413, { detail: 'The body is larger than 16 KiB' }]);
    const unsaid = await http.inject({
      method: 'POST',
      url: '/public',
      headers: { 'content-type': 'application/json' },
      payload: Readable.from([note(16 * 1024), Buffer.from(' ')]),
    });
    expect(unsaid.statusCode).toBe(413);
  });

  it('gets 415 for an encoded body', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'nonsense']) {
      const answer = await post(gzipSync(JSON_BODY), encoding, '/public', anonymous);
      expect([answer.statusCode, answer.json()]).toEqual([
        415,
        { detail: 'A body that comes without a credential has no Content-Encoding' },
      ]);
    }
    expect((await post(JSON_BODY, 'identity', '/public', anonymous)).statusCode).toBe(200);
  });

  it('has the lower limits even where a credential is optional, unless it sends one', async () => {
    expect((await post(note(20_000), 'identity', '/optional', anonymous)).statusCode).toBe(413);
    expect((await post(gzipSync(JSON_BODY), 'gzip', '/optional', anonymous)).statusCode).toBe(415);
    const known = { ...anonymous, ...KNOWN.cookie };
    expect((await post(note(20_000), 'identity', '/optional', known)).statusCode).toBe(200);
    expect((await post(gzipSync(JSON_BODY), 'gzip', '/optional', known)).statusCode).toBe(200);
  });
});

describe('Body over a socket', () => {
  it('a client that keeps sending after the rejection receives the response', async () => {
    const address = await http.server.listen({ port: 0, host: '127.0.0.1' });
    const received = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.on('error', reject);
      socket.on('data', (part) => {
        text += part;
        if (text.includes('"detail"')) socket.destroy();
      });
      socket.on('close', () => resolve(text));
      socket.write(
        'POST /public HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n5\r\nplain\r\n',
      );
    });
    expect(received).toMatch(/^HTTP\/1\.1 415 /);
  });
});
