import { describe, expect, it } from 'vitest';
import { names } from '../../../../tests/gates/cases.js';
import { FAULTS } from '../../../../tests/gates/faults.js';
import { openShop } from '../../../../tests/gates/run-cases.js';
import { openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();
const room = await world.furnish();
const build = openShop(room, await room.readyDesk(), () => world.runJob('build-gate'));

describe('60 planted faults on a real repository', () => {
  const missed: string[] = [];

  it.each(FAULTS)('$name', async (fault) => {
    const { notes } = await build(fault);
    if (!names(notes, fault)) missed.push(fault.name);
  });

  it('at most 2 reach a person without a note that names them', () => {
    expect(FAULTS).toHaveLength(60);
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(2);
  });
});
