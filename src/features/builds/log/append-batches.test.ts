import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuildWorld, startBuildWorld } from '../../../../tests/support/build-world.js';
import { hashClaim } from '../record/build-access.js';
import { createAppendBatches } from './append-batches.js';

let world: BuildWorld;
beforeAll(async () => {
  world = await startBuildWorld();
});
afterAll(() => world.stop());

describe('Log pieces that arrive during a write', () => {
  it('are written one per build at a time, so that none is lost or counted twice', async () => {
    const space = await world.furnish({ plan: 'enterprise' });
    const desk = await space.readyDesk();
    const running = [];
    for (let count = 0; count < 3; count += 1) {
      await space.build((await space.card()).id);
      running.push(await space.take(desk));
    }
    const { brand_id } = (
      await sql<{
        brand_id: number;
      }>`select brand_id from builds where build_id = ${running[0]!.buildId}`.execute(world.db)
    ).rows[0]!;
    const batches = createAppendBatches(world);
    const append = (build: { buildId: string; claim: string }, seq: number, body: string) =>
      batches.append(
        brand_id,
        { buildId: build.buildId, seq, body, bytes: body.length },
        { deskId: desk.id, claimHash: hashClaim(build.claim) },
      );
    const [first, second, third] = running as [
      { buildId: string; claim: string },
      { buildId: string; claim: string },
      { buildId: string; claim: string },
    ];
    // Two batches start at once, and later pieces wait together.
    const written = await Promise.all([
      append(first, 1, 'a'),
      append(second, 1, 'b'),
      append(third, 1, 'one'),
      append(third, 2, 'second'),
      append(first, 2, 'c'),
    ]);
    expect(written.map((at) => at !== undefined)).toEqual([true, true, true, true, true]);
    const { rows } = await sql`
      select b.log_seq, b.log_bytes::int as log_bytes, array_agg(c.body order by c.seq) as said
      from builds b join build_log_chunks c using (build_id) where b.build_id = ${third.buildId}
      group by b.build_id, b.log_seq, b.log_bytes`.execute(world.db);
    expect(rows).toEqual([{ log_seq: 2, log_bytes: 9, said: ['one', 'second'] }]);
    // With nothing else to write, the order of pieces still holds.
    const more = await Promise.all(Array.from({ length: 30 }, (_, n) => append(second, 2 + n, `${n} `)));
    expect(more.filter((at) => at === undefined)).toEqual([]);
  });
});
