import { describe, expect, it } from 'vitest';
import { GOOD } from '../../../../tests/gates/good.js';
import { openShop } from '../../../../tests/gates/run-cases.js';
import { openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();
const room = await world.furnish();
const build = openShop(room, await room.readyDesk(), () => world.runJob('build-gate'));

describe('Diff analysis of 60 good builds', () => {
  it.each(GOOD)('does not hold the build: $name', async (good) => {
    const { status, card } = await build(good);
    expect([status, card]).toEqual(['succeeded', 'in_review']);
  });
});
