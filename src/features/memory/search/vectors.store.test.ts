import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MemoryWorld, startMemoryWorld } from '../../../../tests/support/memory.js';
import { rowsReadBy } from '../../../../tests/support/rows-read.js';
import { vectorStore } from './vectors.store.js';

let world: MemoryWorld;
beforeAll(async () => {
  world = await startMemoryWorld();
});
afterAll(() => world.stop());

describe('Saving a vector', () => {
  it('reads only its memory, and no other memories or queue entries', async () => {
    const workspace = await world.workspace();
    const agent = world.agentId();
    // The queue is usually empty, so the planner assumes an empty table.
    await sql`analyze memories, memory_unembedded`.execute(world.db);
    const memories = [];
    for (let i = 0; i < 30; i += 1)
      memories.push(await workspace.made({ agent_id: agent, title: `Memory ${i}` }));
    const { rows } = await sql<{ memory_id: string; text_hash: Buffer }>`
      select memory_id, text_hash from memory_unembedded where memory_id = ${memories[0]!.id}`.execute(
      world.db,
    );
    const { memory_id: memoryId, text_hash: textHash } = rows[0]!;
    const read = await rowsReadBy(
      world.db,
      ['memories', 'memory_unembedded'],
      ['enable_seqscan', 'enable_sort'],
      (tx) =>
        vectorStore(tx, workspace.brand.brand_id).save('model', [
          { memoryId, textHash, dimensions: 2, bytes: Buffer.alloc(6, 1) },
        ]),
    );
    expect(read).toBeLessThanOrEqual(4);
  });
});
