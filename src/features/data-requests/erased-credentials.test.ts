import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../../../tests/support/app.js';
import { type BuildWorld, startBuildWorld } from '../../../tests/support/build-world.js';
import { startReceiver } from '../../../tests/support/webhooks.js';

let world: BuildWorld;

beforeAll(async () => {
  world = await startBuildWorld({ WEBHOOK_NETWORKS: '127.0.0.0/8' });
});
afterAll(() => world.stop());

const erase = ({ brand_id, name }: { brand_id: number; name: string }) =>
  world.inject({
    method: 'DELETE',
    url: `/api/v1/admin/brands/${brand_id}`,
    headers: { 'x-admin-key': ADMIN_KEY },
    payload: { name },
  });

describe('A workspace being erased, as soon as the request is answered', () => {
  it('rejects all its credentials: sessions, tokens, desks, builds', async () => {
    const room = await world.furnish();
    const { brand, bearer, cookie } = room.space;
    const desk = await room.readyDesk();
    const card = await room.card();
    await room.build(card.id);
    const [order] = await room.work(desk);
    const started = await room.start(desk, order!.build_id, order!.claim);
    const coder = { authorization: `Bearer ${started.body.mcp.token}` };
    const opened = async () => {
      const ask = async (url: string, headers: Record<string, string>, payload?: object) =>
        (await world.inject({ method: payload ? 'POST' : 'GET', url, headers, payload })).statusCode;
      const deskHeaders = { authorization: `Bearer ${desk.pat}`, 'x-guildhall-claim': order!.claim };
      const settings = '/api/v1/factory/builds/settings?profile=claude_coding&coder=claude';
      const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
      const accept = { accept: 'application/json, text/event-stream' };
      return {
        pat: await ask('/api/v1/me/token', bearer),
        session: await ask('/api/v1/me/token', { cookie }),
        settings: await ask(settings, deskHeaders),
        heartbeat: await ask('/api/v1/desk/heartbeat', deskHeaders, {}),
        work: await ask('/api/v1/desk/work', deskHeaders, {
          nonce: 'a'.repeat(32),
          slots: 1,
          wait_seconds: 0,
        }),
        start: await ask(`/api/v1/desk/builds/${order!.build_id}/start`, deskHeaders, {}),
        coder: await ask('/mcp', { ...coder, ...accept }, rpc),
      };
    };
    const before = await opened();
    expect(Object.values(before).filter((status) => status === 401)).toEqual([]);
    expect((await erase(brand)).statusCode).toBe(202);
    expect(await opened()).toEqual(Object.fromEntries(Object.keys(before).map((name) => [name, 401])));
  });

  it('ends pending requests of desks and event streams of people', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const address = await world.server.listen({ port: 0, host: '127.0.0.1' });
    const stream = await fetch(`${address}/api/v1/board/activity/boards/${room.boardId}/stream`, {
      headers: room.space.bearer,
    });
    expect(stream.status).toBe(200);
    const waiting = fetch(`${address}/api/v1/desk/work`, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.pat}`, 'content-type': 'application/json' },
      body: JSON.stringify({ nonce: 'a'.repeat(32), slots: 1, wait_seconds: 20 }),
    });
    await erase(room.space.brand);
    expect((await waiting).status).toBe(401);
    await stream.text();
  });

  it('sends no more webhooks', async () => {
    const home = await world.workspace();
    const receiver = await startReceiver();
    try {
      const payload = { url: receiver.url, events: ['*'] };
      const made = await world.inject({
        method: 'POST',
        url: `/api/v1/brands/${home.brand.brand_id}/webhooks`,
        headers: home.bearer,
        payload,
      });
      expect(made.statusCode).toBe(201);
      const board = { name: 'Told of' };
      await world.inject({
        method: 'POST',
        url: '/api/v1/board/boards',
        headers: home.bearer,
        payload: board,
      });
      await erase(home.brand);
      await world.runJob('webhook-deliver');
      expect(receiver.received).toEqual([]);
    } finally {
      await receiver.close();
    }
  });
});
