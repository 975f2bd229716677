import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type World } from '../../../../tests/support/app.js';
import {
  type BuildWorld,
  deskCalls,
  type FakeDesk,
  type Furnished,
  startBuildWorld,
} from '../../../../tests/support/build-world.js';

let world: BuildWorld;
let other: World;

beforeAll(async () => {
  world = await startBuildWorld();
  other = await startTestApp({ database: world.database });
});
afterAll(async () => {
  await other.stop();
  await world.stop();
});

const BUILDS = 60;
const DESKS = 6;
const SLOTS = 10;
/** The most that a build spends between two reports, in millionths of a dollar. */
const STEP = 40_000;
const DAY = 12_000_000;

/** Seeded, so that every run sees the same numbers. */
function createDice(seed: number) {
  let state = seed;
  return (sides: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

async function readTally(room: Furnished) {
  const { rows } = await sql<{ spent: number; reserved: number }>`
    select coalesce(max(spent_micros), 0)::bigint as spent, coalesce(max(reserved_micros), 0)::bigint as reserved
    from spend_tallies where brand_id = ${room.space.brand.brand_id} and scope = 'workspace' and length(period) = 10`.execute(
    world.db,
  );
  return rows[0]!;
}

async function readLedger(room: Furnished) {
  const { rows } = await sql<{ ledger: number; builds: number; reserved: number; holds: number }>`
    select
      (select sum(cost_micros)::bigint from spend_entries where brand_id = b.brand_id) as ledger,
      (select sum(round(cost_usd::numeric * 1000000))::bigint from builds where brand_id = b.brand_id) as builds,
      (select sum(reserved_micros)::bigint from spend_tallies where brand_id = b.brand_id) as reserved,
      (select count(*)::int from budget_holds where brand_id = b.brand_id) as holds
    from brands b where b.brand_id = ${room.space.brand.brand_id}`.execute(world.db);
  return rows[0]!;
}

describe('Many metered builds at once on two nodes', () => {
  it("spend at most the budget plus one report per build, and the ledger equals the provider's bill", async () => {
    const room = await world.furnish({ plan: 'enterprise' });
    await room.call('PUT', '/api/v1/factory/builds/policy', { budget: { day_usd: DAY / 1e6 } });
    const desks = await Promise.all(Array.from({ length: DESKS }, () => room.readyDesk()));
    for (let n = 0; n < BUILDS; n += 1) await room.build((await room.card()).id);
    const nodes = [deskCalls(world), deskCalls(other)];
    const bill = new Map<string, number>();
    let highest = 0;

    async function run(desk: FakeDesk, at: number, buildId: string, claim: string): Promise<void> {
      const dice = createDice(at + 1);
      const says = nodes[at % 2]!;
      expect((await says.start(desk, buildId, claim)).status).toBe(200);
      const wants = 300_000 + dice(1_500_000);
      const dies = dice(6) === 0;
      let spent = 0;
      for (;;) {
        spent += 1 + dice(STEP);
        const said = { tokens_in: spent, tokens_out: 1, cost_usd: spent / 1e6 };
        // The provider charges whether or not the first report arrives.
        bill.set(buildId, spent);
        const reports = dice(4) === 0 ? [says, nodes[(at + 1) % 2]!] : [says];
        for (const answer of await Promise.all(reports.map((node) => node.usage(desk, buildId, claim, said))))
          expect(answer.status).toBe(200);
        const tally = await readTally(room);
        highest = Math.max(highest, tally.spent + tally.reserved);
        if (dies && spent > wants / 2) return;
        const orders = await says.work(desk, { slots: 0, running: [buildId] });
        const stopped = orders.some(({ kind, build_id }) => kind === 'stop' && build_id === buildId);
        if (!stopped && spent < wants) continue;
        const outcome = stopped ? 'failed' : 'succeeded';
        const ended = await says.finish(desk, buildId, claim, { outcome, usage: said });
        expect(ended.status).toBe(200);
        return;
      }
    }

    const claims = new Map<string, { desk: FakeDesk; claim: string }>();
    async function workAt(desk: FakeDesk, at: number): Promise<void> {
      for (let idle = 0; idle < 3; ) {
        const orders = await nodes[at % 2]!.work(desk, { slots: SLOTS });
        const starts = orders.filter(({ kind }) => kind === 'start');
        idle = starts.length === 0 ? idle + 1 : 0;
        for (const { build_id, claim } of starts) claims.set(build_id, { desk, claim });
        await Promise.all(starts.map(({ build_id, claim }, n) => run(desk, at + n, build_id, claim)));
      }
    }
    await Promise.all(desks.map(workAt));

    const overshoot = STEP * BUILDS;
    expect(highest).toBeGreaterThan(DAY / 2);
    expect(highest).toBeLessThanOrEqual(DAY + overshoot);
    const { spent } = await readTally(room);
    expect(spent).toBe([...bill.values()].reduce((sum, each) => sum + each, 0));

    // Builds of dead desks are lost, but their late reports still count.
    for (const each of [world, other]) each.clock.advance(11 * 60);
    await world.runJob('build-pass');
    expect(await readLedger(room)).toMatchObject({ reserved: 0, holds: 0 });
    for (const [buildId, { desk, claim }] of claims) {
      if ((await room.get(buildId)).status !== 'lost') continue;
      const late = bill.get(buildId)! + 1_234;
      bill.set(buildId, late);
      const usage = { tokens_in: late, tokens_out: 1, cost_usd: late / 1e6 };
      const ended = await room.finish(desk, buildId, claim, { outcome: 'failed', usage });
      expect(ended.status).toBe(200);
    }
    const owed = [...bill.values()].reduce((sum, each) => sum + each, 0);
    expect(await readLedger(room)).toEqual({ ledger: owed, builds: owed, reserved: 0, holds: 0 });
  });
});
