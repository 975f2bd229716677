import { Resolver } from 'node:dns/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import { type Workspace, webhookCaller } from '../../../../tests/support/webhooks.js';
import { WEBHOOK_EVENTS } from '../../../platform/outbox/outbox.js';

const URL = 'https://93.184.216.34/hook';

let world: World;
let home: Workspace;
let hooks: ReturnType<typeof webhookCaller>;

beforeAll(async () => {
  world = await startTestApp();
  home = await world.workspace({ plan: 'enterprise' });
  hooks = webhookCaller(world, home);
});

afterAll(() => world.stop());

describe('POST /webhooks', () => {
  it('returns 201 with the secret, which is shown only once', async () => {
    const response = await hooks.send('POST', '', { url: URL, events: ['task.moved'], description: 'Chat' });
    expect(response.statusCode).toBe(201);
    const { webhook_id, secret, created_at, ...rest } = response.json();
    expect(rest).toEqual({
      url: URL,
      events: ['task.moved'],
      description: 'Chat',
      enabled: true,
      disabled_reason: null,
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{42,}={0,2}$/);
    expect(new Date(created_at).getTime()).not.toBeNaN();
    for (const path of ['', `/${webhook_id}`]) {
      const shown = await hooks.send('GET', path);
      expect(shown.statusCode).toBe(200);
      expect(shown.body).toContain(webhook_id);
      expect(shown.body).not.toContain('whsec_');
    }
  });

  it('encrypts the secret and omits it from the audit log', async () => {
    const { webhook_id, secret } = await hooks.create(URL);
    const row = await world.db
      .selectFrom('webhooks')
      .selectAll()
      .where('webhook_id', '=', webhook_id)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(secret.slice(6));
    const audit = JSON.stringify(await world.db.selectFrom('audit_log').selectAll().execute());
    expect(audit).toContain('webhook.created');
    expect(audit).not.toContain('whsec_');
    expect(audit).not.toContain('93.184.216.34');
  });

  it('accepts every event and `*`', async () => {
    for (const event of [...WEBHOOK_EVENTS, '*'])
      expect((await hooks.send('POST', '', { url: URL, events: [event, event] })).json().events).toEqual([
        event,
      ]);
  });

  it.each([
    [{ url: URL, events: ['task.exploded'] }],
    [{ url: URL, events: ['webhook.test'] }],
    [{ url: URL, events: [] }],
    [{ url: URL, events: 'task.created' }],
    [{ url: URL }],
    [{ events: ['*'] }],
    [{ url: URL, events: ['*'], secret: 'whsec_mine' }],
    [{ url: URL, events: ['*'], description: 'x'.repeat(501) }],
    [{ url: `https://a.example/${'x'.repeat(2048)}`, events: ['*'] }],
  ])('returns 422 for %j', async (payload) => {
    expect((await hooks.send('POST', '', payload)).statusCode).toBe(422);
  });
});

describe('Webhook address', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://１２７.0.0.1/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://172.16.0.1:8443/',
    'https://192.168.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://168.63.129.16/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[ff02::1]/',
  ])('%s returns 422 on save', async (url) => {
    const response = await hooks.send('POST', '', { url, events: ['*'] });
    expect(response.statusCode).toBe(422);
    expect(response.json().detail).toBe(
      'url must not lead to a loopback, private, link-local, multicast or metadata address',
    );
  });

  it.each([
    ['http://93.184.216.34/', 'url must begin with https://'],
    ['https://user:pass@93.184.216.34/', 'url must not contain a user name or password'],
    ['https://user@93.184.216.34/', 'url must not contain a user name or password'],
    ['https://@93.184.216.34/', 'url must not contain a user name or password'],
  ])('%s: %s', async (url, detail) => {
    const response = await hooks.send('POST', '', { url, events: ['*'] });
    expect([response.statusCode, response.json().detail]).toEqual([422, detail]);
  });

  it.each([
    'ftp://93.184.216.34/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//93.184.216.34/',
    'hooks.example.com',
    'https://',
    'https:///93.184.216.34/',
    'https:// 93.184.216.34/',
    ' https://93.184.216.34/',
    'https:\\\\93.184.216.34\\',
    'https://93.184.216.34/\nx',
    'https://256.0.0.1/',
    'https://a:99999/',
    'https://a%00b/',
  ])('returns 422 for %j', async (url) => {
    const response = await hooks.send('POST', '', { url, events: ['*'] });
    expect([response.statusCode, response.json().detail]).toEqual([
      422,
      'url must be a complete https address such as https://hooks.example.com/guildhall',
    ]);
  });

  it('is checked again by PATCH', async () => {
    const { webhook_id } = await hooks.create(URL);
    const response = await hooks.send('PATCH', `/${webhook_id}`, { url: 'https://127.0.0.1/' });
    expect(response.statusCode).toBe(422);
    expect((await hooks.read(webhook_id)).url).toBe(URL);
  });

  it('is checked with an Idempotency-Key too, and no lock is held during the DNS lookup', async () => {
    const make = (url: string) =>
      world.inject({
        method: 'POST',
        url: `/api/v1/brands/${home.brand.brand_id}/webhooks`,
        headers: { ...home.bearer, 'idempotency-key': 'judged' },
        payload: { url, events: ['*'] },
      });
    expect((await make('https://127.0.0.1/')).statusCode).toBe(422);
    // The key is locked until its transaction ends.
    const countLocks = async () => {
      const { rows } = await sql<{ locks: number }>`
        select count(*)::int as locks from pg_locks where locktype = 'advisory' and database =
          (select oid from pg_database where datname = current_database())`.execute(world.db);
      return rows[0]!.locks;
    };
    const before = await countLocks();
    const held: number[] = [];
    const ask = vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation((async () => {
      held.push((await countLocks()) - before);
      return ['93.184.216.34'];
    }) as never);
    expect((await make('https://hooks.guildhall.test/x')).statusCode).toBe(201);
    expect(held).toEqual([0]);
    ask.mockRestore();
  });

  it('is accepted when its name does not resolve yet', async () => {
    await hooks.create('https://hooks.guildhall.invalid/x');
  });

  it('is allowed inside WEBHOOK_NETWORKS, also over http', async () => {
    const open = await startTestApp({ env: { WEBHOOK_NETWORKS: '127.0.0.0/8, 10.1.2.3' } });
    try {
      const there = webhookCaller(open, await open.workspace({ plan: 'enterprise' }));
      for (const url of ['http://127.0.0.1:1/', 'https://localhost/', 'http://0x7f.1/', 'http://10.1.2.3/'])
        expect((await there.send('POST', '', { url, events: ['*'] })).statusCode, url).toBe(201);
      for (const url of ['http://10.1.2.4/', 'https://[::1]/', 'http://169.254.169.254/'])
        expect((await there.send('POST', '', { url, events: ['*'] })).statusCode, url).toBe(422);
    } finally {
      await open.stop();
    }
  });
});

describe('Webhook limit of the plan', () => {
  it.each([
    ['free', 1],
    ['team', 5],
    ['business', 20],
    ['enterprise', 100],
  ])('%s: allows %i and then returns 403 quota_exceeded', async (plan, limit) => {
    const there = webhookCaller(world, await world.workspace({ plan }));
    const statuses = await Promise.all(
      Array.from(
        { length: limit + 2 },
        async () => (await there.send('POST', '', { url: URL, events: ['*'] })).statusCode,
      ),
    );
    expect(statuses.filter((status) => status === 201)).toHaveLength(limit);
    const refused = await there.send('POST', '', { url: URL, events: ['*'] });
    expect([refused.statusCode, refused.json().detail]).toEqual([
      403,
      {
        error: 'quota_exceeded',
        limit,
        current: limit,
        message: `The workspace plan allows ${limit} webhooks, and there are ${limit}`,
      },
    ]);
    const { webhooks, total } = (await there.send('GET')).json();
    expect([webhooks.length, total]).toEqual([limit, limit]);
    expect((await there.send('DELETE', `/${webhooks[0].webhook_id}`)).statusCode).toBe(204);
    await there.create(URL);
  });
});

describe('PATCH /webhooks/{id}', () => {
  it('keeps absent fields, clears null fields and sets given values', async () => {
    const { webhook_id } = await hooks.create(URL, ['task.moved'], { description: 'Chat' });
    const patch = async (payload: object) => (await hooks.send('PATCH', `/${webhook_id}`, payload)).json();
    expect(await patch({})).toMatchObject({
      url: URL,
      events: ['task.moved'],
      description: 'Chat',
      enabled: true,
    });
    expect(await patch({ events: ['*'] })).toMatchObject({ events: ['*'], description: 'Chat' });
    expect(await patch({ description: null })).toMatchObject({ events: ['*'], description: null });
    expect(await patch({ enabled: false, description: 'Off' })).toMatchObject({
      enabled: false,
      description: 'Off',
      disabled_reason: null,
    });
    expect(await patch({ enabled: true, url: `${URL}2` })).toMatchObject({ enabled: true, url: `${URL}2` });
    expect(await hooks.read(webhook_id)).toMatchObject({ enabled: true, url: `${URL}2`, description: 'Off' });
  });

  it.each([{ enabled: null }, { url: null }, { events: [] }, { events: ['x'] }, { secret: 'x' }])(
    'returns 422 for %j',
    async (payload) => {
      const { webhook_id } = await hooks.create(URL);
      expect((await hooks.send('PATCH', `/${webhook_id}`, payload)).statusCode).toBe(422);
    },
  );
});

describe('Webhook permissions', () => {
  it('returns 404 for webhooks of another workspace', async () => {
    const { webhook_id } = await hooks.create(URL);
    const stranger = webhookCaller(world, await world.workspace());
    const { delivery_id } = await hooks.test(webhook_id);
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['POST', `/deliveries/${delivery_id}/replay`],
    ] as const) {
      const payload = method === 'PATCH' ? { enabled: false } : undefined;
      const response = await stranger.send(method, `/${webhook_id}${path}`, payload);
      expect([response.statusCode, response.json().detail]).toEqual([404, 'Webhook not found']);
    }
    expect((await stranger.send('GET')).json()).toEqual({ webhooks: [], total: 0 });
    expect(await hooks.read(webhook_id)).toMatchObject({ enabled: true });
  });

  it('allows admins, and their tokens with brand:admin', async () => {
    const member = await world.member(home.brand);
    const cookie = await world.signIn(member, home.brand);
    const narrow = await world.token(home.brand, home.admin, ['brand:read']);
    const ask = (headers: Record<string, string>) => world.inject({ url: hooks.base, headers });
    expect((await ask({ cookie })).json().detail).toBe('Brand admin access required');
    expect((await ask({ authorization: `Bearer ${narrow}` })).statusCode).toBe(403);
    expect((await ask({ cookie: home.cookie })).statusCode).toBe(200);
  });

  it('DELETE returns 204, and later requests return 404', async () => {
    const { webhook_id } = await hooks.create(URL);
    expect((await hooks.send('DELETE', `/${webhook_id}`)).statusCode).toBe(204);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await hooks.send(method, `/${webhook_id}`)).statusCode).toBe(404);
  });
});
