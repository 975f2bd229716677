import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../../tests/support/memory.js';
import { rowsReadBy } from '../../../../tests/support/rows-read.js';
import { memoryStore } from '../records/memory.store.js';
import { searchStore } from './search.store.js';

let world: MemoryWorld;
beforeAll(async () => {
  world = await startMemoryWorld();
});
afterAll(() => world.stop());

describe('Vectors in an index', () => {
  it('come only from the model that embeds the question', async () => {
    const workspace = await world.workspace();
    const agent = world.agentId();
    await workspace.made({ agent_id: agent, title: 'The kitten purrs' });
    const { brand_id } = workspace.brand;
    const vectors = { one: Buffer.from('vector of one'), two: Buffer.from('vector of two') };
    for (const [model, vector] of Object.entries(vectors)) {
      await sql`
        insert into memory_vectors (agent_id, brand_id, model, text_hash, dimensions, vector)
        select agent_id, brand_id, ${model}, text_hash, ${vector.length}, ${vector} from memories where agent_id = ${agent}`.execute(
        world.db,
      );
    }
    const loaded = async (model: string) =>
      Buffer.concat(await searchStore(world.db, brand_id, model).loadAgent(agent)).toString('latin1');
    expect((await loaded('one')).match(/vector of \w+/g)).toEqual(['vector of one']);
    expect((await loaded('two')).match(/vector of \w+/g)).toEqual(['vector of two']);
    expect((await loaded('three')).match(/vector of \w+/g)).toBeNull();
  });
});

describe('Memories requested by id', () => {
  it('are read without other memories of the workspace', async () => {
    const workspace = await world.workspace();
    const { brand_id } = workspace.brand;
    const agent = world.agentId();
    await sql`analyze memories`.execute(world.db);
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1)
      ids.push((await workspace.made({ agent_id: agent, title: `Memory ${i}` })).id);
    const asked = ids.slice(0, 2);
    const read = await rowsReadBy(world.db, ['memories'], ['enable_seqscan'], async (tx) => {
      // PostgreSQL switches to a generic plan after several runs of a prepared statement.
      await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
      await memoryStore(tx, brand_id).listByIds(asked, world.clock.now());
      await searchStore(tx, brand_id, 'none').loadMemories(asked);
    });
    expect(read).toBe(4);
  });

  it('are counted for an agent without reading memories of other agents', async () => {
    const workspace = await world.workspace();
    const agents = [world.agentId(), world.agentId()];
    await sql`analyze memories`.execute(world.db);
    for (let i = 0; i < 20; i += 1) await workspace.made({ agent_id: agents[i % 10 === 0 ? 0 : 1] });
    const read = await rowsReadBy(world.db, ['memories'], ['enable_seqscan'], async (tx) => {
      await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
      await memoryStore(tx, workspace.brand.brand_id).listStats(agents[0], world.clock.now());
    });
    expect(read).toBe(2);
  });
});
