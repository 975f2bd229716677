import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KNOWN, startHttp, type TestServer } from '../../../../tests/support/http.js';
import { memberAccess, route } from '../declaration/route.js';
import { Closed } from '../declaration/schemas.js';

const MOST = 3 * 1024 * 1024;
let server: TestServer;
let read = 0;

beforeAll(async () => {
  server = await startHttp([
    route({
      name: 'send_bundle',
      method: 'PUT',
      path: '/bundle',
      summary: 'A bundle',
      description: 'A bundle.',
      tags: ['Test'],
      access: memberAccess(),
      rawBody: { contentType: 'application/x-git-bundle', maxBytes: MOST, description: 'A bundle' },
      responses: { 200: Closed({ size: Type.Integer() }) },
      errors: [],
      handler: async ({ bytes }) => {
        let size = 0;
        for await (const chunk of bytes) size += chunk.length;
        read += 1;
        return { size };
      },
    }),
  ]);
});

afterAll(() => server.server.close());

const send = (payload: Buffer | string, headers: Record<string, string> = {}) =>
  server.inject({
    method: 'PUT',
    url: '/bundle',
    headers: { ...KNOWN.bearer, 'content-type': 'application/x-git-bundle', ...headers },
    payload,
  });

describe('Raw body', () => {
  it('is accepted up to its limit, and one byte more returns 413', async () => {
    expect((await send(Buffer.alloc(MOST))).json()).toEqual({ size: MOST });
    const refused = await send(Buffer.alloc(MOST + 1));
    expect([refused.statusCode, refused.json()]).toEqual([413, { detail: 'The body is larger than 3 MiB' }]);
  });

  it('returns 413 beyond its limit without a Content-Length', async () => {
    const { port } = await listen();
    const chunks = async function* () {
      for (let i = 0; i < 8; i++) yield Buffer.alloc(512 * 1024);
    };
    const response = await fetch(`http://127.0.0.1:${port}/bundle`, {
      method: 'PUT',
      headers: { ...KNOWN.bearer, 'content-type': 'application/x-git-bundle', connection: 'close' },
      body: chunks() as never,
      duplex: 'half',
    } as RequestInit);
    expect([response.status, await response.json()]).toEqual([
      413,
      { detail: 'The body is larger than 3 MiB' },
    ]);
  });

  it('keeps the connection usable after a 413', async () => {
    const { port } = server.server.server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sent = async (body: Buffer[]): Promise<number> => {
      const headers = { ...KNOWN.bearer, 'content-type': 'application/x-git-bundle' };
      const sending = request({ port, method: 'PUT', path: '/bundle', agent, headers, timeout: 60_000 });
      sending.on('timeout', () => sending.destroy(new Error('No answer')));
      for (const chunk of body) sending.write(chunk);
      sending.end();
      const [response] = (await once(sending, 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
      return response.statusCode!;
    };
    const tooMuch = Array.from({ length: 8 }, () => Buffer.alloc(512 * 1024));
    expect([await sent(tooMuch), await sent([Buffer.alloc(1)])]).toEqual([413, 200]);
    agent.destroy();
  });

  it('returns 415 for another type and is not read', async () => {
    const before = read;
    for (const type of ['application/json', 'text/plain', 'application/octet-stream', '']) {
      const refused = await send('{}', { 'content-type': type });
      expect([refused.statusCode, refused.json()]).toEqual([
        415,
        { detail: 'Content-Type must be application/x-git-bundle' },
      ]);
    }
    expect(read).toBe(before);
  });

  it('may be empty', async () => expect((await send('')).json()).toEqual({ size: 0 }));

  it('may be encoded, with the limit applied to the decoded bytes', async () => {
    const { gzipSync } = await import('node:zlib');
    const encoded = { 'content-encoding': 'gzip' };
    expect((await send(gzipSync(Buffer.alloc(1000)), encoded)).json()).toEqual({ size: 1000 });
    expect((await send(gzipSync(Buffer.alloc(MOST + 1)), encoded)).statusCode).toBe(413);
  });
});

async function listen() {
  await server.server.listen({ port: 0, host: '127.0.0.1' });
  return server.server.server.address() as AddressInfo;
}
