import { describe, expect, it } from 'vitest';
import { names } from '../../../../tests/gates/cases.js';
import { FAULTS } from '../../../../tests/gates/faults.js';
import { openShop } from '../../../../tests/gates/run-cases.js';
import { openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();
const room = await world.furnish();
const build = openShop(room, await room.readyDesk(), () => world.runJob('build-gate'));

describe('Diff analysis of 60 planted faults in a real repository', () => {
  const missed: string[] = [];

  it.each(FAULTS)('$name', async (fault) => {
    const { notes } = await build(fault);
    if (!names(notes, fault)) missed.push(fault.name);
  });

  it('lets at most 2 faults reach a person without a note that names them', () => {
    expect(FAULTS).toHaveLength(60);
    expect(missed.length, missed.join(', ')).toBeLessThanOrEqual(2);
  });
});
