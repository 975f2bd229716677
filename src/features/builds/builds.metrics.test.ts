import { describe, expect, it } from 'vitest';
import { ADMIN_KEY } from '../../../tests/support/app.js';
import { openBuildWorld } from '../../../tests/support/build-world.js';

const world = await openBuildWorld();
const home = await world.furnish();
const desk = await home.readyDesk();

const measure = async (name: string): Promise<number> => {
  const { body } = await world.inject({ url: '/metrics', headers: { 'x-admin-key': ADMIN_KEY } });
  const line = body.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.split(' ')[1]);
};
const finished = (outcome: string) => measure(`guildhall_builds_finished_total{outcome="${outcome}"}`);
const open = (status: string) => measure(`guildhall_builds_open{status="${status}"}`);
const cancel = (buildId: string) => home.call('POST', `/api/v1/factory/builds/${buildId}/cancel`);

describe('GET /metrics for builds', () => {
  it('reports how many builds are open and how long the oldest one has waited', async () => {
    const build = await home.build((await home.card()).id);
    await world.advance(30);
    expect([await open('queued'), await open('running')]).toEqual([1, 0]);
    expect(await measure('guildhall_build_queue_age_seconds')).toBeGreaterThanOrEqual(30);
    const { claim } = await home.take(desk);
    expect([await open('queued'), await open('running')]).toEqual([0, 1]);
    expect(await measure('guildhall_build_queue_age_seconds')).toBe(0);
    await home.finish(desk, build.build_id, claim, { outcome: 'succeeded' });
  });

  it('counts a finish once, even if the desk reports it again', async () => {
    const before = await finished('failed');
    await home.build((await home.card()).id);
    const { buildId, claim } = await home.take(desk);
    for (let times = 0; times < 2; times += 1) await home.finish(desk, buildId, claim, { outcome: 'failed' });
    expect(await finished('failed')).toBe(before + 1);
  });

  it('counts a lost build once, whichever code path records the loss', async () => {
    const before = await finished('lost');
    const card = await home.card();
    const build = await home.build(card.id);
    await home.take(desk);
    await world.advance(601);
    // A refused request stores nothing.
    expect((await cancel(build.build_id)).status).toBe(409);
    expect(await finished('lost')).toBe(before);
    const next = await home.build(card.id);
    expect(await finished('lost')).toBe(before + 1);
    await cancel(next.build_id);
  });
});
