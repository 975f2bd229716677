import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type ForgeWorkspace,
  type ForgeWorld,
  startForgeWorld,
} from '../../../../tests/support/forge-world.js';
import { DAY } from '../../../kernel/clock.js';
import { LARGEST_PARSED } from './hooks.service.js';

const MEBIBYTE = 1024 * 1024;
const REFUSED = { detail: 'The delivery is not signed with the secret of this hook' };
const SHA = '0123456789abcdef0123456789abcdef01234567';

let world: ForgeWorld;
let room: ForgeWorkspace;
let secret: string;
let triggers: () => Promise<number>;

beforeAll(async () => {
  world = await startForgeWorld();
  triggers = async () =>
    (
      await sql<{ count: number }>`
        select count(*)::int as count from graphile_worker.jobs where task_identifier = 'forge-pass'`.execute(
        world.db,
      )
    ).rows[0]!.count;
});
afterAll(() => world.stop());
beforeEach(async () => {
  room = await world.furnish();
  await room.put();
  secret = await room.renew();
});

const sign = (body: string | Buffer, key = secret) =>
  `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;

interface Sent {
  body?: string | Buffer;
  headers?: Record<string, string>;
  id?: string;
  key?: string;
  project?: string;
  event?: string;
}

const pullRequest = (number: number) => JSON.stringify({ action: 'opened', pull_request: { number } });

async function deliver({
  body = pullRequest(7),
  headers,
  id,
  key,
  project,
  event = 'pull_request',
}: Sent = {}) {
  const answer = await world.inject({
    method: 'POST',
    url: `/api/v1/hooks/${project ?? room.projectId}`,
    payload: body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': id ?? crypto.randomUUID(),
      'x-hub-signature-256': sign(body, key),
      ...headers,
    },
  });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}

const deliveries = async (projectId = room.projectId) =>
  (
    await sql<{ delivery_id: string; about: unknown; received_at: Date }>`
      select delivery_id, about, received_at from forge_deliveries where project_id = ${projectId}
      order by received_at, delivery_id`.execute(world.db)
  ).rows;

const TAKEN = { status: 202, body: undefined };

describe('POST /api/v1/hooks/{project_id}', () => {
  it('returns 202 and only records the delivery; GET shows its time', async () => {
    const before = await triggers();
    expect(await deliver({ id: 'one' })).toEqual(TAKEN);
    expect(await deliveries()).toEqual([
      {
        delivery_id: 'one',
        about: { pulls: [7], shas: [], issues: false },
        received_at: expect.any(Date),
      },
    ]);
    expect(await triggers()).toBe(before + 1);
    expect((await room.get()).body['hook']).toMatchObject({ last_at: expect.any(String) });
    // The background job calls the host, the request does not.
    expect(world.host.asked).toHaveLength(1);
    world.host.asked = [];
  });

  it('returns 202 for a known delivery id without recording it again', async () => {
    const before = await triggers();
    expect(await deliver({ id: 'twice' })).toEqual(TAKEN);
    expect(await deliver({ id: 'twice', body: pullRequest(8) })).toEqual(TAKEN);
    await Promise.all([deliver({ id: 'both' }), deliver({ id: 'both' })]);
    expect((await deliveries()).map(({ about }) => about)).toEqual([
      { pulls: [7], shas: [], issues: false },
      { pulls: [7], shas: [], issues: false },
    ]);
    expect(await triggers()).toBe(before + 2);
  });

  it('returns 202 for an unused event without triggering a sync', async () => {
    const before = await triggers();
    for (const event of ['star', 'ping', 'constructor', '']) expect(await deliver({ event })).toEqual(TAKEN);
    // The project does not create cards from issues.
    expect(await deliver({ event: 'issues' })).toEqual(TAKEN);
    expect((await deliveries()).every(({ about }) => about === null)).toBe(true);
    expect(await triggers()).toBe(before);
    await room.put({ issues: { label: 'ready' } });
    await deliver({ event: 'issues', id: 'wanted' });
    expect((await deliveries()).at(-1)!.about).toEqual({ pulls: [], shas: [], issues: true });
  });

  it('identifies a delivery without an id by its body, and one with a long id by its digest', async () => {
    const bare = { headers: { 'x-github-delivery': '' } };
    await deliver(bare);
    await deliver(bare);
    await deliver({ ...bare, body: pullRequest(8) });
    await deliver({ id: 'x'.repeat(5000) });
    await deliver({ id: 'x'.repeat(200) });
    const ids = (await deliveries()).map(({ delivery_id }) => delivery_id);
    expect(ids.filter((id) => /^sha256:[0-9a-f]{64}$/.test(id))).toHaveLength(3);
    expect(ids).toContain('x'.repeat(200));
    expect(ids).toHaveLength(4);
  });

  it('accepts a form as GitHub sends it, and any other content type', async () => {
    const body = `payload=${encodeURIComponent(pullRequest(9))}`;
    expect(await deliver({ body, headers: { 'content-type': 'application/x-www-form-urlencoded' } })).toEqual(
      TAKEN,
    );
    expect((await deliveries())[0]!.about).toMatchObject({ pulls: [9] });
    for (const type of ['application/json; charset=utf-8', 'text/plain', 'application/vnd.gitlab+json'])
      expect(await deliver({ headers: { 'content-type': type } })).toEqual(TAKEN);
    expect((await deliveries()).filter(({ about }) => about === null)).toEqual([]);
  });
});

describe('Rejected deliveries', () => {
  it('returns the same 401 for a wrong or missing proof, unknown projects and missing secrets', async () => {
    const unconnected = await room.project('https://github.com/acme/other.git');
    const unset = await room.project('https://github.com/acme/third.git');
    await room.put({}, unset);
    const wrong = sign('another body');
    const cases: Sent[] = [
      { key: 'not the secret' },
      { key: '' },
      { headers: { 'x-hub-signature-256': wrong } },
      { headers: { 'x-hub-signature-256': '' } },
      { headers: { 'x-hub-signature-256': 'sha256=' } },
      { headers: { 'x-hub-signature-256': `sha256=${'é'.repeat(32)}` } },
      { headers: { 'x-hub-signature-256': sign(pullRequest(7)).replace('sha256=', 'sha1=') } },
      { headers: { 'x-hub-signature-256': sign(pullRequest(7)).slice(0, -2) } },
      // A proof in the form of another kind of host.
      { headers: { 'x-hub-signature-256': wrong, 'x-gitlab-token': secret } },
      { headers: { 'x-hub-signature-256': '', 'x-gitlab-token': secret } },
      { project: crypto.randomUUID() },
      { project: 'no-uuid' },
      { project: "1' or '1'='1" },
      { project: unconnected },
      { project: unset },
      { project: unset, key: '' },
    ];
    for (const [at, sent] of cases.entries())
      expect([at, await deliver(sent)]).toEqual([at, { status: 401, body: REFUSED }]);
    for (const id of [room.projectId, unconnected, unset]) expect(await deliveries(id)).toEqual([]);
    expect((await room.get()).body['hook']).toMatchObject({ last_at: null });
  });

  it('returns 401 for the secret of another project and after disconnecting', async () => {
    const other = await room.project('https://github.com/acme/other.git');
    await room.put({}, other);
    const theirs = await room.renew(other);
    expect((await deliver({ key: theirs })).status).toBe(401);
    expect((await deliver({ key: theirs, project: other })).status).toBe(202);
    expect((await deliver({ key: theirs, project: other.toUpperCase() })).status).toBe(202);
    await room.remove();
    expect(await deliver()).toEqual({ status: 401, body: REFUSED });
  });

  it('accepts the previous secret for 24 hours, even after several renewals', async () => {
    const first = secret;
    const second = await room.renew();
    await world.advance(DAY / 2);
    const third = await room.renew();
    const taken = async () => {
      const of = async (key: string) => (await deliver({ key })).status;
      return [await of(first), await of(second), await of(third)];
    };
    expect(await taken()).toEqual([202, 202, 202]);
    await world.advance(DAY / 2 - 5);
    expect(await taken()).toEqual([202, 202, 202]);
    await world.advance(10);
    expect(await taken()).toEqual([401, 202, 202]);
    await world.advance(DAY / 2);
    expect(await taken()).toEqual([401, 401, 202]);
  });
});

describe('Webhooks of GitLab and Forgejo', () => {
  it('verifies GitLab only by the token in its header', async () => {
    const id = await room.project('https://gitlab.com/a/b/c.git');
    await room.put({ kind: 'gitlab' }, id);
    const key = await room.renew(id);
    const body = JSON.stringify({ object_attributes: { iid: 3 } });
    const send = (headers: Record<string, string>) =>
      deliver({
        project: id,
        body,
        key,
        headers: {
          'x-github-event': '',
          'x-github-delivery': '',
          'x-hub-signature-256': '',
          'x-gitlab-event': 'Merge Request Hook',
          ...headers,
        },
      });
    expect((await send({ 'x-gitlab-token': `${key}x` })).status).toBe(401);
    expect((await send({ 'x-gitlab-token': '' })).status).toBe(401);
    expect((await send({ 'x-hub-signature-256': sign(body, key) })).status).toBe(401);
    const uuid = { 'x-gitlab-event-uuid': 'one' };
    expect(await send({ 'x-gitlab-token': key, ...uuid })).toEqual(TAKEN);
    expect(await send({ 'x-gitlab-token': key, ...uuid })).toEqual(TAKEN);
    expect(await send({ 'x-gitlab-token': key, ...uuid, 'idempotency-key': 'two' })).toEqual(TAKEN);
    expect((await deliveries(id)).map(({ about }) => about)).toEqual([
      { pulls: [3], shas: [], issues: false },
      { pulls: [3], shas: [], issues: false },
    ]);
  });

  it("verifies Forgejo by a signature like GitHub's", async () => {
    const id = await room.project('https://code.example/a/b.git');
    await room.put({ kind: 'forgejo' }, id);
    const key = await room.renew(id);
    const headers = { 'x-github-event': '', 'x-gitea-event': 'status', 'x-gitea-delivery': 'g-1' };
    expect(await deliver({ project: id, key, body: JSON.stringify({ sha: SHA }), headers })).toEqual(TAKEN);
    expect(await deliveries(id)).toMatchObject([{ delivery_id: 'g-1', about: { shas: [SHA] } }]);
    expect((await deliver({ project: id, headers: { ...headers, 'x-gitlab-token': key } })).status).toBe(401);
  });
});

describe('Large deliveries', () => {
  const padded = (size: number) => {
    const head = '{"pull_request":{"number":7},"more":"';
    return Buffer.from(`${head}${'x'.repeat(size - head.length - 2)}"}`);
  };

  it('accepts 5 MiB and returns 413 for one byte more', async () => {
    expect(await deliver({ body: padded(5 * MEBIBYTE) })).toEqual(TAKEN);
    expect(await deliver({ body: padded(5 * MEBIBYTE + 1) })).toEqual({
      status: 413,
      body: { detail: 'The body is larger than 5 MiB' },
    });
  });

  it('requests a sync of the whole project when the body is too long to parse', async () => {
    const lookAt = async () =>
      (
        await sql<{ look_at: Date }>`
          select look_at from project_forges where project_id = ${room.projectId}`.execute(world.db)
      ).rows[0]!.look_at;
    const later = new Date(world.clock.now().getTime() + 3_600_000);
    await sql`update project_forges set look_at = ${later} where project_id = ${room.projectId}`.execute(
      world.db,
    );
    await deliver({ body: padded(LARGEST_PARSED), id: 'read' });
    expect(await lookAt()).toEqual(later);
    await deliver({ body: padded(LARGEST_PARSED + 1), id: 'unread', event: 'star' });
    expect(await lookAt()).toEqual(later);
    const before = await triggers();
    await deliver({ body: padded(LARGEST_PARSED + 1), id: 'unread-2' });
    expect((await lookAt()) < later).toBe(true);
    expect(await triggers()).toBe(before + 1);
    expect((await deliveries()).map(({ about }) => about)).toEqual([
      { pulls: [7], shas: [], issues: false },
      null,
      { pulls: [], shas: [], issues: false },
    ]);
  });

  it('returns 401 for an unsigned delivery before its body is sent', async () => {
    await world.server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = world.server.server.address() as { port: number };
    const head = (more: string) =>
      `POST /api/v1/hooks/${room.projectId} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${5 * MEBIBYTE}\r\n${more}\r\n`;
    const line = connect(port, '127.0.0.1');
    const answer = new Promise<string>((resolve) => line.once('data', (data) => resolve(String(data))));
    line.write(head(''));
    expect(await answer).toMatch(/^HTTP\/1.1 401 /);
    line.destroy();
  });

  it('returns 415 for an encoded body', async () => {
    expect((await deliver({ headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
  });
});

describe('Flood of deliveries', () => {
  it('records 600 deliveries in a minute and then requests one sync of the whole project', async () => {
    await world.freeze();
    const send = (from: number, to: number) =>
      Promise.all(Array.from({ length: to - from }, (_, at) => deliver({ id: `f-${from + at}` })));
    for (let at = 0; at < 660; at += 60)
      expect(new Set((await send(at, at + 60)).map(({ status }) => status))).toEqual(new Set([202]));
    expect(await deliveries()).toHaveLength(601);
    await world.advance(61);
    await deliver({ id: 'later' });
    expect(await deliveries()).toHaveLength(602);
    await world.freeze(false);
  });
});
