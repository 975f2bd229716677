import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { type Furnished, openBuildWorld } from '../../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';

const world = await openBuildWorld();

const HOUR_MS = 3_600_000;

const lift = (room: Furnished, id: string) => room.call('POST', `/api/v1/machines/${id}/hold:lift`, {});

/** A desk that its provider has just refused, and a build that waits for it. */
async function hold(room: Furnished) {
  const desk = await room.readyDesk({ name: 'shop-1' });
  const build = await room.build((await room.card()).id);
  const { claim } = await room.take(desk);
  const heldUntil = new Date(world.clock.now().getTime() + HOUR_MS).toISOString();
  await room.finish(desk, build.build_id, claim, { outcome: 'failed', held_until: heldUntil });
  const waiting = await room.build((await room.card()).id);
  await room.work(desk);
  return { desk, heldUntil, waiting };
}

describe("A hold after a provider's limit", () => {
  it('shows on the desk, in its history and on waiting builds, and ends on time', async () => {
    const room = await world.furnish();
    const ask = world.asMember(room.space);
    const { desk, heldUntil, waiting } = await hold(room);
    const shown = async () => [
      (await ask('GET', `/api/v1/environments/${desk.id}`)).json().held_until,
      (await ask('GET', '/api/v1/workstations?with=environment')).json().workstations[0].environment
        .held_until,
      (await room.get(waiting.build_id)).held_until,
    ];
    expect(await shown()).toEqual([heldUntil, heldUntil, heldUntil]);
    expect((await room.get(waiting.build_id)).waiting_reason).toBe(
      `Every desk that runs claude is on hold until ${heldUntil.slice(0, 16).replace('T', ' ')} UTC, as a provider's limit was reached: desk shop-1`,
    );
    const story = (await ask('GET', `/api/v1/environments/${desk.id}/timeline`)).json().items;
    expect(story[0]).toMatchObject({ kind: 'held', reason: `until ${heldUntil}` });
    await world.advance(3601);
    expect(await shown()).toEqual([null, null, null]);
  });
});

describe('POST /api/v1/machines/{machine_id}/hold:lift', () => {
  it('lifts the hold and hands out waiting builds at once', async () => {
    const room = await world.furnish();
    const { desk, waiting } = await hold(room);
    const heard: unknown[] = [];
    const leave = world.app.notifications.subscribe('guildhall_build_work', (news) => void heard.push(news));
    expect((await lift(room, desk.id)).status).toBe(204);
    await expect.poll(() => heard).toContainEqual({ brand: room.space.brand.brand_id, desk: desk.id });
    leave();
    expect(await room.work(desk)).toMatchObject([{ kind: 'start', build_id: waiting.build_id }]);
    const story = await world.asMember(room.space)('GET', `/api/v1/environments/${desk.id}/timeline`);
    expect(story.json().items[0].kind).toBe('hold_lifted');
  });

  itDeeply('is audited, and changes nothing for a desk without a hold', async () => {
    const room = await world.furnish();
    const { desk } = await hold(room);
    await lift(room, desk.id);
    expect((await lift(room, desk.id)).status).toBe(204);
    const audit = await world.asMember(room.space)(
      'GET',
      `/api/v1/brands/${room.space.brand.brand_id}/audit?action=workstation.hold_lifted`,
    );
    const { entries } = audit.json();
    expect(entries).toMatchObject([{ subject: `workstation:${desk.id}` }]);
  });

  it('is for admins only, and returns 404 for a desk of another workspace', async () => {
    const room = await world.furnish();
    const stranger = await world.furnish();
    const { desk, heldUntil } = await hold(room);
    expect((await lift(stranger, desk.id)).status).toBe(404);
    const member = await world.member(room.space.brand);
    const token = await world.token(room.space.brand, member, ['memory:write']);
    const asMember = { authorization: `Bearer ${token}` };
    const refused = await room.call('POST', `/api/v1/machines/${desk.id}/hold:lift`, {}, asMember);
    expect(refused).toMatchObject({ status: 403, body: { detail: 'Brand admin access required' } });
    const record = await world.asMember(room.space)('GET', `/api/v1/environments/${desk.id}`);
    expect(record.json().held_until).toBe(heldUntil);
  });
});

describe('A coder whose login is refused on a desk', () => {
  const REFUSED = 'Not logged in · Please run /login';
  const says = (at: string, state = 'ok') => ({ runtime: 'claude_code', state, checked_at: at });
  const now = () => world.clock.now().toISOString();

  /** A desk that a member ordered, after the first claude build on it was refused. */
  async function refuse(room: Furnished, { logins = [] as object[], reason = REFUSED } = {}) {
    const member = await world.member(room.space.brand);
    const token = await world.token(room.space.brand, member, ['memory:write']);
    const { desk: made, fake } = await world.readyDesk(room.space, {
      name: 'shop-1',
      runtime: 'claude_code',
    });
    await sql`update desks set ordered_by = ${member.user_id} where desk_id = ${made.workstation_id}`.execute(
      world.db,
    );
    const desk = { id: made.workstation_id, pat: made.pat };
    const health = async (credentials: object[]) => {
      fake.health['credentials'] = credentials;
      await world.poll();
    };
    await health(logins);
    const build = await room.build((await room.card()).id);
    const { claim } = await room.take(desk);
    await room.finish(desk, build.build_id, claim, { outcome: 'failed', reason });
    const waiting = await room.build((await room.card()).id);
    const items = async (headers: Record<string, string>) =>
      (
        await room.call<{ items: { excerpt: string }[] }>(
          'GET',
          '/api/v1/me/inbox?kind=login_refused',
          undefined,
          headers,
        )
      ).body.items.map(({ excerpt }) => excerpt);
    return {
      desk,
      build,
      waiting,
      health,
      inbox: () => items({ authorization: `Bearer ${token}` }),
      items,
      member,
    };
  }
  const retry = (room: Furnished, id: string, headers?: Record<string, string>) =>
    room.call('POST', `/api/v1/machines/${id}/logins:retry`, {}, headers);

  it('gets no more builds there, and notifies the person who ordered the desk once', async () => {
    const room = await world.furnish();
    const { desk, build, waiting, inbox, items } = await refuse(room);
    expect(await room.get(build.build_id)).toMatchObject({ status: 'failed', reason: REFUSED });
    expect(await room.work(desk)).toEqual([]);
    expect(await room.get(waiting.build_id)).toMatchObject({
      status: 'queued',
      waiting_for: 'hold',
      held_until: null,
      waiting_reason:
        'Every desk that runs claude is on hold until someone signs in there or retries, because its login was rejected: desk shop-1',
    });
    expect(await inbox()).toEqual([`The login of claude on desk shop-1 was refused: ${REFUSED}`]);
    expect(await items({})).toEqual([]);
    const record = (await world.asMember(room.space)('GET', `/api/v1/environments/${desk.id}`)).json();
    expect(record.coders[0]).toEqual({ coder: 'claude', ready: false, reason: 'its login was refused' });
    const other = await room.readyDesk({ name: 'shop-2' });
    expect(await room.work(other)).toMatchObject([{ kind: 'start', build_id: waiting.build_id }]);
  });

  it.each([
    ['no login', () => [], (at: string) => [says(at)]],
    ['expired login', (at: string) => [says(at, 'expired')], (at: string) => [says(at)]],
  ])('gets builds again once health reports its login as ok: %s', async (_what, first, then) => {
    const room = await world.furnish();
    const { desk, waiting, health, inbox } = await refuse(room, { logins: first(now()) });
    await world.advance(31);
    await health(first(now()));
    expect(await room.work(desk)).toEqual([]);
    await world.advance(31);
    await health(then(now()));
    expect((await room.get(waiting.build_id)).waiting_reason).not.toContain('login');
    expect(await room.work(desk)).toMatchObject([{ kind: 'start', build_id: waiting.build_id }]);
    expect(await inbox()).toEqual([]);
  });

  it('is still held despite an earlier ok login until that changes or a person retries', async () => {
    const room = await world.furnish();
    const { desk, waiting, health, member } = await refuse(room, { logins: [says(now())] });
    await world.advance(31);
    await health([says(now())]);
    expect(await room.work(desk)).toEqual([]);
    const token = await world.token(room.space.brand, member, ['memory:read']);
    expect((await retry(room, desk.id, { authorization: `Bearer ${token}` })).status).toBe(403);
    expect((await retry(await world.furnish(), desk.id)).status).toBe(404);
    expect((await retry(room, desk.id)).status).toBe(204);
    const { claim } = await room.take(desk);
    const story = await world.asMember(room.space)('GET', `/api/v1/environments/${desk.id}/timeline`);
    expect(
      story
        .json()
        .items.map(({ kind }: { kind: string }) => kind)
        .slice(0, 2),
    ).toEqual(['hold_lifted', 'login_refused']);
    await room.finish(desk, waiting.build_id, claim, { outcome: 'failed', reason: 'API Error: 401 {}' });
    await room.build((await room.card()).id);
    expect(await room.work(desk)).toEqual([]);
  });

  it('notifies the admins when the person who ordered the desk has left', async () => {
    const room = await world.furnish();
    const { desk, waiting, items, member } = await refuse(room);
    await sql`update memberships set active = false where user_id = ${member.user_id}`.execute(world.db);
    await retry(room, desk.id);
    const { claim } = await room.take(desk);
    await room.finish(desk, waiting.build_id, claim, { outcome: 'failed', reason: REFUSED });
    expect(await items({})).toHaveLength(1);
  });

  itDeeply('is not held after any other failure', async () => {
    const room = await world.furnish();
    const { desk, waiting } = await refuse(room, { reason: 'The tests of the login page fail' });
    expect(await room.work(desk)).toMatchObject([{ build_id: waiting.build_id }]);
  });
});
