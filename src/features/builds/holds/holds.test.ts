import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type BuildWorld, type Furnished, startBuildWorld } from '../../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';

let world: BuildWorld;
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  world = await startBuildWorld();
});
afterAll(() => world.stop());

const lift = (room: Furnished, id: string) => room.call('POST', `/api/v1/machines/${id}/hold:lift`, {});

/** A desk whose provider has just refused it, and a build that waits for it. */
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

describe("a hold after a provider's limit", () => {
  it('is shown on the desk, in its story and on what waits, and is over by itself', async () => {
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
  it('lifts the hold and hands out what waits at once', async () => {
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

  itDeeply('is audited, and changes nothing where nothing holds the desk', async () => {
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

  it('is for admins, and knows no desk of another workspace', async () => {
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
