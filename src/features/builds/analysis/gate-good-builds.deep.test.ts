import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOOD } from '../../../../tests/gates/good.js';
import { openShop } from '../../../../tests/gates/run-cases.js';
import { type BuildWorld, startBuildWorld } from '../../../../tests/support/build-world.js';

let world: BuildWorld;
let build: ReturnType<typeof openShop>;

beforeAll(async () => {
  world = await startBuildWorld();
  const room = await world.furnish();
  build = openShop(room, await room.readyDesk(), () => world.runJob('build-gate'));
});

afterAll(() => world.stop());

describe('60 good builds', () => {
  it.each(GOOD)('is not held: $name', async (good) => {
    const { status, card } = await build(good);
    expect([status, card]).toEqual(['succeeded', 'in_review']);
  });

  it('are sixty', () => expect(GOOD).toHaveLength(60));
});
