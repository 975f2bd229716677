import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import {
  answering,
  type Receiver,
  startReceiver,
  verifies,
  type Workspace,
  webhookCaller,
} from '../../../../tests/support/webhooks.js';

const HOUR = 3600;
const DAY = 24 * HOUR;

let world: World;
let home: Workspace;
let hooks: ReturnType<typeof webhookCaller>;
let receiver: Receiver;

beforeAll(async () => {
  world = await startTestApp({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8' } });
  await world.freeze();
});

beforeEach(async () => {
  home = await world.workspace({ plan: 'enterprise' });
  hooks = webhookCaller(world, home);
  receiver = await startReceiver();
});

afterEach(async () => {
  await receiver.close();
  await world.db.deleteFrom('webhooks').execute();
});

afterAll(() => world.stop());

const deliver = () => world.runJob('webhook-deliver');
const first = async (webhookId: string) => (await hooks.deliveries(webhookId)).deliveries[0]!;
const seconds = (from: string | Date, to: string | Date) =>
  (new Date(to).getTime() - new Date(from).getTime()) / 1000;

describe('Webhook message', () => {
  it('is signed according to Standard Webhooks with the secret that was shown once', async () => {
    const { webhook_id, secret } = await hooks.create(receiver.url);
    const { event_id, delivery_id } = await hooks.test(webhook_id);
    expect(await deliver()).toMatchObject({ processed: 1, failed: 0 });
    const [request] = receiver.received;
    expect(request!.headers).toMatchObject({
      'webhook-id': event_id,
      'webhook-timestamp': String(Math.floor(world.clock.now().getTime() / 1000)),
      'content-type': 'application/json',
    });
    expect(verifies(secret, request!)).toBe(true);
    expect(verifies(secret, { ...request!, body: `${request!.body} ` })).toBe(false);
    expect(request!.message).toEqual({
      type: 'webhook.test',
      timestamp: world.clock.now().toISOString(),
      data: { webhook_id },
    });
    expect(await first(webhook_id)).toEqual({
      delivery_id,
      event_id,
      event: 'webhook.test',
      status: 'delivered',
      attempts: [
        { at: world.clock.now().toISOString(), status: 204, milliseconds: expect.any(Number), error: null },
      ],
      next_attempt_at: null,
    });
  });

  it('keeps the newest 50 attempts and drops the oldest', async () => {
    const { webhook_id } = await hooks.create(receiver.url);
    const { delivery_id } = await hooks.test(webhook_id);
    const at = (n: number) => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();
    const attempts = Array.from({ length: 50 }, (_, n) => ({
      at: at(n),
      status: 500,
      milliseconds: 1,
      error: 'No',
    }));
    await world.database.pool.query(
      'update webhook_deliveries set attempts = $1::jsonb where delivery_id = $2',
      [JSON.stringify(attempts), delivery_id],
    );
    await deliver();
    const kept = (await first(webhook_id)).attempts;
    expect(kept.slice(0, -1)).toEqual(attempts.slice(1));
    expect(kept.at(-1)).toMatchObject({ at: world.clock.now().toISOString(), status: 204 });
  });

  it('is signed with both secrets for 24 h after a rotation, and then only with the new one', async () => {
    const { webhook_id, secret: before } = await hooks.create(receiver.url);
    const rotated = await hooks.send('POST', `/${webhook_id}/rotate-secret`);
    expect(rotated.statusCode).toBe(200);
    expect(Object.keys(rotated.json())).toEqual(['secret']);
    const after = rotated.json().secret;
    expect(after).not.toBe(before);
    const sent = async () => {
      await hooks.test(webhook_id);
      await deliver();
      return receiver.received.at(-1)!;
    };
    const both = await sent();
    expect([verifies(before, both), verifies(after, both)]).toEqual([true, true]);
    expect(String(both.headers['webhook-signature']).split(' ')).toHaveLength(2);
    await world.advance(DAY - 1);
    expect(verifies(before, await sent())).toBe(true);
    await world.advance(1);
    const late = await sent();
    expect([verifies(before, late), verifies(after, late)]).toEqual([false, true]);
  });

  it('is not created for a webhook that is disabled, removed or subscribed to other events', async () => {
    const off = await hooks.create(receiver.url);
    const removed = await hooks.create(receiver.url);
    await hooks.create(receiver.url, ['hire.active', 'board.updated']);
    await hooks.send('PATCH', `/${off.webhook_id}`, { enabled: false });
    await hooks.send('DELETE', `/${removed.webhook_id}`);
    await world.inject({
      method: 'POST',
      url: '/api/v1/board/boards',
      headers: home.bearer,
      payload: { name: 'Quiet' },
    });
    expect(await deliver()).toMatchObject({ processed: 0, failed: 0 });
    expect(
      await world.db
        .selectFrom('webhook_messages')
        .selectAll()
        .where('brand_id', '=', home.brand.brand_id)
        .execute(),
    ).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  it('waits while the webhook is disabled and is sent when it is enabled again', async () => {
    const { webhook_id } = await hooks.create(receiver.url);
    await hooks.test(webhook_id);
    await hooks.send('PATCH', `/${webhook_id}`, { enabled: false });
    await deliver();
    expect(receiver.received).toEqual([]);
    await hooks.send('PATCH', `/${webhook_id}`, { enabled: true });
    await deliver();
    expect(receiver.received).toHaveLength(1);
  });
});

describe('Delivery retries', () => {
  it('follow after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 6 h with the same webhook-id, then the delivery fails', async () => {
    receiver.answerWith(answering(500));
    const { webhook_id } = await hooks.create(receiver.url);
    const { event_id } = await hooks.test(webhook_id);
    await deliver();
    for (const [index, pause] of [5, 300, 1800, 2 * HOUR, 5 * HOUR, 10 * HOUR, 6 * HOUR].entries()) {
      const waiting = await first(webhook_id);
      expect(waiting.status).toBe('pending');
      expect(waiting.attempts).toHaveLength(index + 1);
      expect(seconds(waiting.attempts.at(-1)!.at, waiting.next_attempt_at!)).toBe(pause);
      await world.advance(pause - 1);
      expect(await deliver()).toMatchObject({ processed: 0, failed: 0 });
      await world.advance(1);
      expect(await deliver()).toMatchObject({ processed: 0, failed: 1 });
    }
    const failed = await first(webhook_id);
    expect(failed).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect(failed.attempts).toHaveLength(8);
    expect(failed.attempts[0]).toMatchObject({ status: 500, error: 'The receiver answered 500' });
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(8).fill(event_id));
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    await world.advance(2 * DAY);
    await deliver();
    expect(receiver.received).toHaveLength(8);
  });

  it('stop after the first 2xx response, and each attempt has a new signature', async () => {
    receiver.answerWith(answering(503));
    const { webhook_id, secret } = await hooks.create(receiver.url);
    await hooks.test(webhook_id);
    await deliver();
    receiver.answerWith(answering(299));
    await world.advance(5);
    await deliver();
    expect(await first(webhook_id)).toMatchObject({ status: 'delivered', next_attempt_at: null });
    const [one, two] = receiver.received;
    expect(Number(two!.headers['webhook-timestamp']) - Number(one!.headers['webhook-timestamp'])).toBe(5);
    expect(verifies(secret, two!)).toBe(true);
  });

  it.each([301, 302, 307, 308])('treat a redirect (%i) as a failure and do not follow it', async (status) => {
    const elsewhere = await startReceiver();
    receiver.answerWith(answering(status, { location: elsewhere.url }));
    const { webhook_id } = await hooks.create(receiver.url);
    await hooks.test(webhook_id);
    await deliver();
    expect(await first(webhook_id)).toMatchObject({ status: 'pending', attempts: [{ status }] });
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it('follow when the receiver is unreachable', async () => {
    const { webhook_id } = await hooks.create('http://127.0.0.1:1/');
    await hooks.test(webhook_id);
    await deliver();
    expect((await first(webhook_id)).attempts[0]).toMatchObject({
      status: null,
      error: 'The receiver refused the connection',
    });
  });
});

describe('410 response', () => {
  it('disables the webhook and fails the delivery', async () => {
    receiver.answerWith(answering(410));
    const { webhook_id } = await hooks.create(receiver.url);
    await hooks.test(webhook_id);
    await deliver();
    expect(await hooks.read(webhook_id)).toMatchObject({
      enabled: false,
      disabled_reason: 'The receiver answered 410 Gone',
    });
    expect(await first(webhook_id)).toMatchObject({ status: 'failed', next_attempt_at: null });
    expect((await hooks.send('POST', `/${webhook_id}/test`)).statusCode).toBe(409);
    const { delivery_id } = await first(webhook_id);
    expect((await hooks.send('POST', `/${webhook_id}/deliveries/${delivery_id}/replay`)).statusCode).toBe(
      409,
    );
    const on = await hooks.send('PATCH', `/${webhook_id}`, { enabled: true });
    expect(on.json()).toMatchObject({ enabled: true, disabled_reason: null });
  });
});

describe('Disabling after five days of failures', () => {
  const letters = async () => {
    const folder = join(world.config.dataDir, 'outbox');
    const names = await readdir(folder).catch(() => []);
    return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  };

  /** Sends one failing delivery per day. */
  async function failFor(webhookId: string, days: number) {
    for (let day = 0; day < days; day += 1) {
      if (day > 0) await world.advance(DAY);
      await hooks.test(webhookId);
      await deliver();
    }
  }

  it('disables the webhook after a failure on each of five days, sets disabled_reason and emails the admins', async () => {
    receiver.answerWith(answering(500));
    await world.member(home.brand);
    const removed = await world.member(home.brand, { role: 'admin' });
    await world.operator('DELETE', `/brands/${home.brand.brand_id}/members/${removed.user_id}`);
    const { webhook_id } = await hooks.create(`${receiver.url}?token=sesame`);
    await failFor(webhook_id, 5);
    await world.advance(DAY - 1);
    await deliver();
    expect((await hooks.read(webhook_id)).enabled).toBe(true);
    await world.advance(1);
    await deliver();
    expect(await hooks.read(webhook_id)).toMatchObject({
      enabled: false,
      disabled_reason: 'Nothing but failures for five days',
    });
    await deliver();
    const sent = (await letters()).filter((letter) => letter.includes(`127.0.0.1:${receiver.port}`));
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain(`To: ${home.admin.email}`);
    expect(sent[0]).not.toContain('sesame');
  });

  it('keeps the webhook enabled when a delivery succeeded in between', async () => {
    receiver.answerWith(answering(500));
    const { webhook_id } = await hooks.create(receiver.url);
    await failFor(webhook_id, 3);
    receiver.answerWith(answering(200));
    await failFor(webhook_id, 1);
    receiver.answerWith(answering(500));
    await failFor(webhook_id, 4);
    await world.advance(DAY);
    await deliver();
    expect((await hooks.read(webhook_id)).enabled).toBe(true);
    await failFor(webhook_id, 1);
    await world.advance(DAY);
    await deliver();
    expect((await hooks.read(webhook_id)).enabled).toBe(false);
  });

  it('keeps the webhook enabled when there was no attempt on one of the days', async () => {
    receiver.answerWith(answering(500));
    const { webhook_id } = await hooks.create(receiver.url);
    await failFor(webhook_id, 1);
    // As if its retries were over.
    await world.db.deleteFrom('webhook_deliveries').execute();
    await world.advance(5 * DAY);
    await deliver();
    expect((await hooks.read(webhook_id)).enabled).toBe(true);
    // The next failure restarts the count.
    await failFor(webhook_id, 4);
    await world.db.deleteFrom('webhook_deliveries').execute();
    await world.advance(2 * DAY);
    await failFor(webhook_id, 1);
    expect((await hooks.read(webhook_id)).enabled).toBe(true);
    await world.advance(DAY);
    await failFor(webhook_id, 4);
    await world.advance(DAY);
    await deliver();
    expect((await hooks.read(webhook_id)).enabled).toBe(false);
  });

  it('restarts the count when the address changes', async () => {
    receiver.answerWith(answering(500));
    const { webhook_id } = await hooks.create(receiver.url);
    await hooks.test(webhook_id);
    await deliver();
    await world.advance(4 * DAY);
    await hooks.send('PATCH', `/${webhook_id}`, { url: `${receiver.url}/new` });
    await world.advance(2 * DAY);
    await deliver();
    expect((await hooks.read(webhook_id)).enabled).toBe(true);
  });
});

describe('GET /webhooks/{id}/deliveries', () => {
  it('returns pages, newest first, filtered by status', async () => {
    const { webhook_id } = await hooks.create(receiver.url);
    for (let n = 0; n < 53; n += 1) await hooks.test(webhook_id);
    const page = await hooks.deliveries(webhook_id, '?status=pending');
    expect(page.deliveries).toHaveLength(50);
    const rest = await hooks.deliveries(webhook_id, `?status=pending&cursor=${page.next_cursor}`);
    expect(rest.deliveries).toHaveLength(3);
    expect(rest.next_cursor).toBeNull();
    const ids = [...page.deliveries, ...rest.deliveries].map(({ delivery_id }) => delivery_id);
    expect(new Set(ids).size).toBe(53);
    expect((await hooks.deliveries(webhook_id, '?status=delivered')).deliveries).toEqual([]);
    expect(await deliver()).toMatchObject({ processed: 53, failed: 0 });
    expect((await hooks.deliveries(webhook_id, '?status=pending')).deliveries).toEqual([]);
    expect((await hooks.deliveries(webhook_id, '?status=delivered')).deliveries).toHaveLength(50);
  });

  it('returns 400 for an invalid cursor and 422 for an unknown status', async () => {
    const { webhook_id } = await hooks.create(receiver.url);
    const other = await hooks.create(receiver.url);
    for (let n = 0; n < 51; n += 1) await hooks.test(other.webhook_id);
    const { next_cursor } = await hooks.deliveries(other.webhook_id);
    for (const cursor of ['x', '', 'AAAA', `${next_cursor}x`, next_cursor]) {
      const response = await hooks.send('GET', `/${webhook_id}/deliveries?cursor=${cursor}`);
      expect([response.statusCode, response.json().detail]).toEqual([
        400,
        'cursor is not one that this list gave out',
      ]);
    }
    expect((await hooks.send('GET', `/${webhook_id}/deliveries?status=lost`)).statusCode).toBe(422);
  });
});

describe('Replaying a delivery', () => {
  it('returns 202 and sends the same message again, with a fresh series of retries', async () => {
    const { webhook_id } = await hooks.create(receiver.url);
    const { delivery_id, event_id } = await hooks.test(webhook_id);
    await deliver();
    await world.advance(60);
    receiver.answerWith(answering(500));
    const replay = () => hooks.send('POST', `/${webhook_id}/deliveries/${delivery_id}/replay`);
    expect((await replay()).statusCode).toBe(202);
    expect(await first(webhook_id)).toMatchObject({
      status: 'pending',
      next_attempt_at: world.clock.now().toISOString(),
    });
    await deliver();
    const waiting = await first(webhook_id);
    expect(waiting.attempts.map(({ status }) => status)).toEqual([204, 500]);
    expect(seconds(world.clock.now(), waiting.next_attempt_at!)).toBe(5);
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([event_id, event_id]);
    expect(receiver.received[0]!.body).toBe(receiver.received[1]!.body);
  });

  it('keeps the last 50 attempts, and returns 404 for an unknown delivery', async () => {
    const { webhook_id } = await hooks.create(receiver.url);
    const { delivery_id } = await hooks.test(webhook_id);
    for (let n = 0; n < 52; n += 1) {
      await hooks.send('POST', `/${webhook_id}/deliveries/${delivery_id}/replay`);
      await deliver();
    }
    expect((await first(webhook_id)).attempts).toHaveLength(50);
    const other = await hooks.create(receiver.url);
    for (const path of [
      `/${webhook_id}/deliveries/${randomUUID()}`,
      `/${other.webhook_id}/deliveries/${delivery_id}`,
    ]) {
      const response = await hooks.send('POST', `${path}/replay`);
      expect([response.statusCode, response.json().detail]).toEqual([404, 'Delivery not found']);
    }
  });

  it('sends a delivery again even when its current attempt succeeds', async () => {
    const { webhook_id } = await hooks.create(receiver.url);
    const { delivery_id } = await hooks.test(webhook_id);
    let release = () => {};
    receiver.answerWith((response) => {
      release = () => void response.writeHead(200).end();
    });
    const pass = deliver();
    await receiver.arrived(1);
    expect((await hooks.send('POST', `/${webhook_id}/deliveries/${delivery_id}/replay`)).statusCode).toBe(
      202,
    );
    receiver.answerWith(answering(200));
    release();
    await pass;
    await deliver();
    expect(receiver.received).toHaveLength(2);
    expect(await first(webhook_id)).toMatchObject({ status: 'delivered', attempts: [{}, {}] });
  });
});

describe('webhook-sweep', () => {
  it('deletes deliveries after 14 days', async () => {
    const { webhook_id } = await hooks.create(receiver.url);
    await hooks.test(webhook_id);
    await deliver();
    await world.advance(14 * DAY - 1);
    await world.runJob('webhook-sweep');
    expect((await hooks.deliveries(webhook_id)).deliveries).toHaveLength(1);
    await world.advance(1);
    expect((await world.runJob('webhook-sweep')).processed).toBeGreaterThan(0);
    expect((await hooks.deliveries(webhook_id)).deliveries).toEqual([]);
    expect(await world.db.selectFrom('webhook_deliveries').selectAll().execute()).toEqual([]);
  });
});
