import type http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { answering, startReceiver, webhookCaller } from '../../../../tests/support/webhooks.js';

let world: World;
let hooks: ReturnType<typeof webhookCaller>;

beforeAll(async () => {
  world = await startTestApp({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' }, workers: true });
  hooks = webhookCaller(world, await world.workspace({ plan: 'enterprise' }));
});

afterAll(() => world.stop());

describe('Webhook dispatcher', () => {
  it('sends a message right after its commit and a retry when it is due', async () => {
    const receiver = await startReceiver(answering(500));
    const { webhook_id } = await hooks.create(receiver.url);
    await hooks.test(webhook_id);
    await receiver.arrived(1);
    receiver.answerWith(answering(200));
    await world.advance(5);
    const [one, two] = await receiver.arrived(2);
    expect(two!.headers['webhook-id']).toBe(one!.headers['webhook-id']);
    await hooks.send('DELETE', `/${webhook_id}`);
    await receiver.close();
  });

  it('does not delay other receivers because of a slow one', async () => {
    const held: http.ServerResponse[] = [];
    const slow = await startReceiver((response) => void held.push(response));
    const quick = await startReceiver();
    const stuck = await hooks.create(slow.url, ['board.updated']);
    const going = await hooks.create(quick.url, ['board.updated']);
    for (let n = 0; n < 30; n += 1) await hooks.test(stuck.webhook_id);
    await slow.arrived(8);
    for (let n = 0; n < 20; n += 1) await hooks.test(going.webhook_id);
    await quick.arrived(20);
    // Eight messages are in flight to the slow receiver, which has not answered any of them.
    expect(slow.received).toHaveLength(8);
    slow.answerWith(answering(200));
    for (const response of held) response.writeHead(200).end();
    await slow.arrived(30);
    for (const { webhook_id } of [stuck, going]) await hooks.send('DELETE', `/${webhook_id}`);
    await Promise.all([slow.close(), quick.close()]);
  });

  it('sends each message once when two nodes run', async () => {
    const receiver = await startReceiver();
    const other = await startTestApp({
      env: { WEBHOOK_NETWORKS: '127.0.0.0/8' },
      workers: true,
      database: world.database,
      people: 'node',
    });
    const { webhook_id } = await hooks.create(receiver.url, ['board.updated']);
    await Promise.all(Array.from({ length: 40 }, () => hooks.test(webhook_id)));
    await receiver.arrived(40);
    await world.runJob('webhook-deliver');
    await other.runJob('webhook-deliver');
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
    expect(receiver.received).toHaveLength(40);
    await hooks.send('DELETE', `/${webhook_id}`);
    await other.stop();
    await receiver.close();
  });

  it('releases its claimed deliveries on stop, and the next node sends them', async () => {
    const receiver = await startReceiver(() => {});
    const other = await startTestApp({
      env: { WEBHOOK_NETWORKS: '127.0.0.0/8' },
      people: 'stopping',
    });
    try {
      const space = await other.workspace();
      const there = webhookCaller(other, space);
      const { webhook_id } = await there.create(receiver.url);
      await there.test(webhook_id);
      const pass = other.runJob('webhook-deliver');
      await receiver.arrived(1);
      await other.app.webhooks.stop();
      await pass;
      expect((await there.deliveries(webhook_id)).deliveries[0]).toMatchObject({
        status: 'pending',
        attempts: [],
      });
      receiver.answerWith(answering(200));
      const next = await startTestApp({
        env: { WEBHOOK_NETWORKS: '127.0.0.0/8' },
        database: other.database,
        people: 'next',
      });
      await next.runJob('webhook-deliver');
      expect((await there.deliveries(webhook_id)).deliveries[0]).toMatchObject({ status: 'delivered' });
      await next.stop();
    } finally {
      await other.stop();
      await receiver.close();
    }
  });
});
