import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../tests/support/memory.js';
import { seedMemoryDemo } from './memory.js';

let world: MemoryWorld;
beforeAll(async () => {
  world = await startMemoryWorld();
});
afterAll(() => world.stop());

describe('Demo memories', () => {
  it('include a few hundred memories over months, patterns, stale ones, a failed conversation and a MEMORY.md', async () => {
    const acme = await world.workspace();
    const { agentId } = await seedMemoryDemo(world.app, acme.brand.brand_id);
    const stats = (await acme.stats(`?agent_id=${agentId}`)).json();
    expect(stats.total_active).toBeGreaterThan(150);
    expect(stats.total_merged).toBeGreaterThan(10);
    expect(stats.by_kind.pattern).toBeGreaterThan(1);
    const { memories } = await acme.found(agentId, { limit: '50' });
    expect(memories.some(({ stale }) => stale)).toBe(true);
    const { conversations } = (
      await world.inject({
        url: '/api/v1/memory/conversations?status=failed',
        headers: { authorization: `Bearer ${acme.token}` },
      })
    ).json();
    expect(conversations).toMatchObject([{ external_id: 'gripper-retrospective', attempts: 5 }]);
    const file = await readFile(join(world.config.agentsDir, agentId, 'MEMORY.md'), 'utf8');
    expect(file.match(/^- /gm)).toHaveLength(50);
    expect((await acme.titles(agentId, 'What happens when a person crosses the yellow line?'))[0]).toContain(
      'yellow line',
    );
  });
});
