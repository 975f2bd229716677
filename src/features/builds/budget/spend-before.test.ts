import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startBuildWorld } from '../../../../tests/support/build-world.js';

const MIGRATION = new URL('../../../platform/database/migrations/0423_spend_before.sql', import.meta.url);

const WITHOUT_USAGE = new URL(
  '../../../platform/database/migrations/0560_builds_without_usage.sql',
  import.meta.url,
);

it('the migration counts builds that ended without usage before this release', async () => {
  const world = await startBuildWorld();
  try {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    for (const usage of [undefined, undefined, { tokens_in: 1, tokens_out: 1, cost_usd: 1 }]) {
      await room.build((await room.card()).id);
      const taken = await room.take(desk);
      await room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed', usage });
    }
    const read = async () =>
      (
        await sql`
          select scope, subject, period, builds, unmetered from spend_tallies order by 1, 2, 3`.execute(
          world.db,
        )
      ).rows;
    const before = await read();
    await sql`update spend_tallies set builds = builds - unmetered, unmetered = 0`.execute(world.db);
    await sql`delete from spend_tallies where builds = 0`.execute(world.db);
    await sql`delete from build_money where unmetered`.execute(world.db);
    const text = await readFile(WITHOUT_USAGE, 'utf8');
    await sql.raw(text.slice(text.indexOf('with silent'))).execute(world.db);
    expect(await read()).toEqual(before);
    expect((await room.call('GET', '/api/v1/factory/spend')).body).toMatchObject({
      total: { builds: 3, without_usage: 2 },
    });
  } finally {
    await world.stop();
  }
});

it('builds before this release: the migration fills the ledger from them, as if it had been there', async () => {
  const world = await startBuildWorld();
  try {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    for (const cost_usd of [0.1, 2.345678, null]) {
      await room.build((await room.card()).id);
      const taken = await room.take(desk);
      const usage = { tokens_in: 100, tokens_out: 5, cost_usd };
      await room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed', usage });
    }
    const read = async () => {
      const tallies = await sql`
        select scope, subject, period, builds, tokens_in, tokens_out, spent_micros from spend_tallies
        order by 1, 2, 3`.execute(world.db);
      const entries = await sql`
        select build_id, day, project_id, task_id, agent_id, coder, profile, tokens_in, tokens_out, cost_micros
        from spend_entries order by build_id`.execute(world.db);
      return { tallies: tallies.rows, entries: entries.rows };
    };
    const before = await read();
    expect(before.entries).toHaveLength(3);
    await expect(sql`update spend_entries set cost_micros = 0`.execute(world.db)).rejects.toThrow(
      'The ledger is only added to',
    );
    await sql`delete from spend_tallies`.execute(world.db);
    await sql`delete from spend_entries`.execute(world.db);
    // More decimals than money has are rounded on the build too.
    await sql`update builds set cost_usd = cost_usd + 0.0000001 where cost_usd > 1`.execute(world.db);
    for (const statement of (await readFile(MIGRATION, 'utf8')).split(/;\n/))
      if (statement.trim()) await sql.raw(statement).execute(world.db);
    expect(await read()).toEqual(before);
    expect((await room.call('GET', '/api/v1/factory/spend')).body).toMatchObject({
      total: { builds: 3, cost_usd: 2.445678 },
    });
  } finally {
    await world.stop();
  }
});
