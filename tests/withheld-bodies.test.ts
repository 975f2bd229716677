import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, startTestApp, type World } from './support/app.js';
import { itDeeply } from './support/deep.js';

/** Tests callers who send the head of a request and withhold the end of its body. */

let world: World;
let port: number;

beforeAll(async () => {
  world = await startTestApp();
  await world.server.listen({ port: 0, host: '127.0.0.1' });
  port = (world.server.server.address() as AddressInfo).port;
});
afterAll(() => world.stop());

interface Sent {
  headers?: Record<string, string>;
  body: object;
}

interface Withheld {
  socket: Socket;
  /** Sends the last byte and reads the answer. */
  complete(): Promise<{ status: number; detail: unknown }>;
}

/** Sends everything but the last byte, and waits until the service has processed the head. */
async function withhold(method: string, path: string, { headers = {}, body }: Sent): Promise<Withheld> {
  const bytes = Buffer.from(JSON.stringify(body));
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  const lines = Object.entries({
    host: 'a',
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(bytes.subarray(0, -1));
  // The service processes heads in order, so after this request it has processed the withheld one.
  await world.server.inject({ url: '/api/v1/system/info' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  return {
    socket,
    async complete() {
      socket.write(bytes.subarray(-1));
      let text = '';
      for await (const chunk of socket) text += chunk;
      const [head = '', json = ''] = text.split('\r\n\r\n');
      return { status: Number(head.slice(9, 12)), detail: json && JSON.parse(json).detail };
    },
  };
}

describe('A request with a withheld body', () => {
  /** Creates a second admin in a new workspace, with a token. */
  async function secondAdmin() {
    const space = await world.workspace();
    const { brand_id: brandId } = space.brand;
    const admin = await world.member(space.brand, { role: 'admin' });
    const bearer = { authorization: `Bearer ${await world.token(space.brand, admin)}` };
    const membership = (userId: number) => `/brands/${brandId}/members/${userId}`;
    const roleOf = async (userId: number) =>
      (await world.inject({ url: `/api/v1${membership(userId)}`, headers: space.bearer })).json().role;
    return { space, admin, bearer, membership, roleOf };
  }

  it('gets 401 and promotes no one after its admin was removed', async () => {
    const { space, admin, bearer, membership, roleOf } = await secondAdmin();
    const { user_id: friend } = await world.member(space.brand);
    const request = await withhold('PATCH', `/api/v1${membership(friend)}`, {
      headers: bearer,
      body: { role: 'admin' },
    });
    await world.operator('DELETE', membership(admin.user_id));
    expect((await request.complete()).status).toBe(401);
    expect(await roleOf(friend)).toBe('member');
  });

  it('gets 403 and changes no role after its admin became a member', async () => {
    const { admin, bearer, membership, roleOf } = await secondAdmin();
    const request = await withhold('PATCH', `/api/v1${membership(admin.user_id)}`, {
      headers: bearer,
      body: { role: 'admin' },
    });
    await world.operator('PUT', membership(admin.user_id), { role: 'member' });
    expect(await request.complete()).toEqual({ status: 403, detail: 'Brand admin access required' });
    expect(await roleOf(admin.user_id)).toBe('member');
  });

  it('gets 401 and writes nothing after its token was revoked', async () => {
    const space = await world.workspace();
    const made = await world.operator<{ token: string; token_id: string }>(
      'POST',
      `/brands/${space.brand.brand_id}/tokens`,
      { user_id: space.admin.user_id, scopes: ['memory:write'], name: 'short-lived' },
    );
    const request = await withhold('POST', '/api/v1/board/boards', {
      headers: { authorization: `Bearer ${made.token}` },
      body: { name: 'Made too late' },
    });
    await world.operator('DELETE', `/tokens/${made.token_id}`);
    expect((await request.complete()).status).toBe(401);
    const boards = await world.inject({ url: '/api/v1/board/boards', headers: space.bearer });
    expect(boards.body).not.toContain('Made too late');
  });

  it('gets 401 and creates no token after its session ended with a password change', async () => {
    const space = await world.workspace();
    const other = await world.signIn(space.admin, space.brand);
    const request = await withhold('POST', '/api/v1/me/tokens', {
      headers: { cookie: space.cookie },
      body: { name: 'stays', scopes: ['brand:read'] },
    });
    const changed = await world.inject({
      method: 'PATCH',
      url: '/api/v1/me',
      headers: { cookie: other },
      payload: { password: { current: PASSWORD, new: 'another correct horse' } },
    });
    expect(changed.statusCode).toBe(200);
    expect((await request.complete()).status).toBe(401);
    const tokens = await world.inject({ url: '/api/v1/me/tokens', headers: { cookie: other } });
    expect(tokens.body).not.toContain('stays');
  });
});

describe('Public requests with withheld bodies', () => {
  it('do not block members or sign-ins', async () => {
    const space = await world.workspace();
    const open = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        withhold('POST', n % 2 ? '/api/v1/auth/login' : '/api/v1/hooks/some', {
          headers: { 'x-gitlab-token': 'wrong' },
          body: { email: 'a@example.test', password: 'wrong' },
        }),
      ),
    );
    for (let n = 0; n < 5; n += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/board/boards`, { headers: space.bearer });
      expect(answer.status).toBe(200);
    }
    const signIn = await fetch(`http://127.0.0.1:${port}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: space.admin.email, password: 'wrong password' }),
    });
    expect(signIn.status).toBe(401);
    for (const { socket } of open) socket.destroy();
  });

  itDeeply('get a 408 after ten seconds', async () => {
    for (const path of ['/api/v1/auth/login', '/api/v1/hooks/some']) {
      const { socket } = await withhold('POST', path, {
        headers: { 'x-gitlab-token': 'wrong' },
        body: { email: 'a@example.test', password: 'wrong' },
      });
      let text = '';
      for await (const chunk of socket) text += chunk;
      expect(text).toContain('HTTP/1.1 408 ');
      expect(text).toContain('{"detail":"The body did not arrive within 10 seconds"}');
    }
  });
});

describe('Reset connections', () => {
  it('do not leave unanswered pipelined requests in the queue', async () => {
    const space = await world.workspace();
    const lines = [
      'GET /api/v1/board/boards HTTP/1.1',
      'Host: a',
      `Authorization: ${space.bearer.authorization}`,
    ];
    const health = 'GET /api/v1/system/health HTTP/1.1\r\nHost: a\r\n\r\n';
    for (let n = 0; n < 40; n += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      socket.write(health.repeat(50) + `${lines.join('\r\n')}\r\n\r\n`.repeat(50));
      await new Promise((resolve) => setTimeout(resolve, 5));
      socket.resetAndDestroy();
    }
    const healthy = async () => {
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => fetch(`http://127.0.0.1:${port}/api/v1/system/health`)),
      );
      return answers.filter(({ status }) => status === 200).length;
    };
    await expect.poll(healthy).toBe(40);
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/board/boards`, { headers: space.bearer });
    expect(answer.status).toBe(200);
  });
});
