import { sql } from 'kysely';
import { describe, expect } from 'vitest';
import { type FakeDesk, type Furnished, openBuildWorld } from '../../../../tests/support/build-world.js';
import { itUsually as it, itDeeply } from '../../../../tests/support/deep.js';

const world = await openBuildWorld();

const POLICY = '/api/v1/factory/builds/policy';
const NONE = { build_usd: null, card_usd: null, day_usd: null, month_usd: null };

const allow = (room: Furnished, budget: object) => room.call('PUT', POLICY, { budget });
const begin = async (room: Furnished, more: Record<string, unknown> = {}) =>
  room.build((await room.card(more)).id);
const spend = (
  room: Furnished,
  desk: FakeDesk,
  { buildId, claim }: { buildId: string; claim: string },
  cost: number,
) => room.usage(desk, buildId, claim, { tokens_in: 0, tokens_out: 0, cost_usd: cost });
const report = async (room: Furnished, query: string) =>
  (
    await room.call<{ rows: Record<string, never>[]; total: Record<string, number> }>(
      'GET',
      `/api/v1/factory/spend?${query}`,
    )
  ).body;
const inbox = async (room: Furnished, kind: string) =>
  (await room.call<{ items: { excerpt: string }[] }>('GET', `/api/v1/me/inbox?kind=${kind}`)).body.items.map(
    ({ excerpt }) => excerpt,
  );
/** The reserved amounts of a workspace by budget scope. */
async function setAside(room: Furnished): Promise<Record<string, number>> {
  const { rows } = await sql<{ scope: string; micros: number }>`
    select scope, sum(micros)::bigint as micros from budget_holds
    where brand_id = ${room.space.brand.brand_id} group by 1 order by 1`.execute(world.db);
  return Object.fromEntries(rows.map(({ scope, micros }) => [scope, micros]));
}

/** Checks that ledger, tallies and builds agree, and that finished builds hold no reservation. */
async function expectBalance(room: Furnished): Promise<void> {
  const { rows } = await sql<{
    ledger: number;
    builds: number;
    tallied: number;
    reserved: number;
    held: number;
  }>`
    select (select coalesce(sum(cost_micros), 0)::bigint from spend_entries where brand_id = b.brand_id) as ledger,
      (select coalesce(sum(round(cost_usd::numeric * 1000000)), 0)::bigint from builds where brand_id = b.brand_id) as builds,
      (select coalesce(sum(spent_micros), 0)::bigint from spend_tallies
        where brand_id = b.brand_id and scope = 'card' and period = '') as tallied,
      (select coalesce(sum(reserved_micros), 0)::bigint from spend_tallies where brand_id = b.brand_id) as reserved,
      (select coalesce(sum(micros), 0)::bigint from budget_holds where brand_id = b.brand_id) as held
    from brands b where b.brand_id = ${room.space.brand.brand_id}`.execute(world.db);
  const { ledger, builds, tallied, reserved, held } = rows[0]!;
  expect({ ledger, tallied, reserved }).toEqual({ ledger: builds, tallied: builds, reserved: held });
}

describe('policy.budget', () => {
  it('is empty until an admin sets it, and keeps the fields that a request omits', async () => {
    const room = await world.furnish();
    expect((await room.call('GET', POLICY)).body).toMatchObject({ budget: NONE });
    await allow(room, { day_usd: 10.5 });
    expect((await allow(room, { build_usd: 1 })).body).toMatchObject({
      budget: { ...NONE, day_usd: 10.5, build_usd: 1 },
    });
    expect((await allow(room, { day_usd: null })).body).toMatchObject({ budget: { ...NONE, build_usd: 1 } });
    expect((await allow(room, { day_usd: -1 })).status).toBe(422);
  });
});

describe('A claim with a budget', () => {
  it('reserves build_usd, and leaves the build queued when less is left', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { build_usd: 2, day_usd: 3 });
    const [one, other] = [await begin(room), await begin(room)];
    expect(await room.work(desk, { slots: 5 })).toMatchObject([{ build_id: one.build_id }]);
    const waiting = await room.get(other.build_id);
    expect(waiting).toMatchObject({ status: 'queued', waiting_for: 'budget', workstation_id: null });
    expect(waiting.waiting_reason).toBe(
      "The day's budget of the workspace has 1.00 USD left of 3.00 USD, and this build needs 2.00 USD",
    );
    await expectBalance(room);
  });

  it('returns the reservation when the claim expires', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { build_usd: 2, day_usd: 3 });
    const { build_id } = await begin(room);
    expect(await room.work(desk)).toMatchObject([{ build_id }]);
    expect(await setAside(room)).not.toEqual({});
    await world.advance(61);
    await world.runJob('build-pass');
    expect(await room.get(build_id)).toMatchObject({ status: 'queued', workstation_id: null });
    expect(await setAside(room)).toEqual({});
    await expectBalance(room);
  });

  itDeeply('without a build budget reserves 1/20 of the smallest budget, but at least 0.50', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { day_usd: 30, month_usd: 600 });
    await begin(room);
    await room.work(desk);
    await room.call('PUT', `/api/v1/projects/${room.projectId}/budget`, { day_usd: 1, month_usd: null });
    await begin(room);
    await room.work(desk);
    const { rows } = await sql<{ reserved_micros: number }>`
      select reserved_micros from build_money where brand_id = ${room.space.brand.brand_id} order by 1`.execute(
      world.db,
    );
    expect(rows.map((row) => row.reserved_micros)).toEqual([500_000, 1_500_000]);
  });

  it('starts a waiting build once the budget has enough again', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { build_usd: 2, day_usd: 3 });
    const one = await begin(room);
    const other = await begin(room);
    const taken = await room.take(desk);
    expect(taken.buildId).toBe(one.build_id);
    const asked = room.work(desk, { wait_seconds: 50 });
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed', usage: { cost_usd: 0.4 } });
    expect(await asked).toMatchObject([{ kind: 'start', build_id: other.build_id }]);
    await expectBalance(room);
  });

  itDeeply('releases its reservation when it expires and when the build is canceled', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { build_usd: 2, day_usd: 2 });
    const build = await begin(room);
    await room.work(desk);
    world.clock.advance(61);
    await world.runJob('build-pass');
    await expectBalance(room);
    expect(await room.work(desk)).toMatchObject([{ build_id: build.build_id }]);
    world.clock.advance(61);
    // The desk takes the build from an expired claim before the job has seen the expiry.
    expect(await room.work(desk)).toMatchObject([{ build_id: build.build_id }]);
    await expectBalance(room);
    world.clock.advance(61);
    await room.call('POST', `/api/v1/factory/builds/${build.build_id}/cancel`);
    await world.runJob('build-pass');
    await expectBalance(room);
    await begin(room);
    expect(await room.work(desk)).toHaveLength(1);
  });

  itDeeply('does not delay builds of other budgets while a build waits for its budget', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await room.call('PUT', `/api/v1/projects/${room.projectId}/budget`, { day_usd: 0, month_usd: null });
    const poor = await begin(room);
    const project = await room.call<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Other',
      repository: { url: room.repository.folder },
    });
    await world.runJob('project-index-wanted');
    await room.call('GET', `/api/v1/projects/${project.body.project_id}/index/events`);
    const rich = await begin(room, { project_id: project.body.project_id });
    expect(await room.work(desk)).toMatchObject([{ build_id: rich.build_id }]);
    expect((await room.get(poor.build_id)).waiting_reason).toContain("The day's budget of the project");
  });

  itDeeply('starts days at midnight in the time zone of the workspace', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { build_usd: 1, day_usd: 1 });
    const brand = `/api/v1/brands/${room.space.brand.brand_id}`;
    expect((await room.call('PATCH', brand, { timezone: 'Mars/Olympus' })).status).toBe(422);
    expect((await room.call('PATCH', brand, { timezone: 'Asia/Tokyo' })).body).toMatchObject({
      timezone: 'Asia/Tokyo',
    });
    const now = world.clock.now();
    // Midnight in Tokyo is 15:00 UTC.
    const midnight = new Date(`${now.toISOString().slice(0, 10)}T15:00:00Z`);
    if (midnight <= now) midnight.setUTCDate(midnight.getUTCDate() + 1);
    world.clock.advance((midnight.getTime() - now.getTime()) / 1000 - 1800);
    await begin(room);
    const taken = await room.take(desk);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed', usage: { cost_usd: 1 } });
    const next = await begin(room);
    expect(await room.work(desk)).toEqual([]);
    world.clock.advance(1801);
    expect(await room.work(desk)).toMatchObject([{ build_id: next.build_id }]);
    const day = midnight.toISOString().slice(0, 10);
    expect((await report(room, `by=day&from=${day}&to=${day}`)).rows).toMatchObject([
      { key: day, cost_usd: 1 },
    ]);
  });
});

describe('POST /api/v1/desk/builds/{build_id}/usage', () => {
  it('takes totals that never fall, shows them at once, and can be repeated', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await begin(room);
    const taken = await room.take(desk);
    const say = (body: object) => room.usage(desk, taken.buildId, taken.claim, body);
    const first = { tokens_in: 100, tokens_out: 10, cost_usd: 0.25 };
    expect((await say(first)).body).toEqual(first);
    expect((await say({ tokens_in: 50, tokens_out: 20, cost_usd: 0.1 })).body).toEqual({
      ...first,
      tokens_out: 20,
    });
    expect((await say(first)).status).toBe(200);
    expect((await room.get(taken.buildId)).usage).toEqual({ ...first, tokens_out: 20 });
    expect((await room.usage(desk, taken.buildId, 'wrong', first)).body.detail.error).toBe('claim_lost');
    await room.finish(desk, taken.buildId, taken.claim, {
      outcome: 'failed',
      usage: { tokens_in: 1, cost_usd: 0.3 },
    });
    expect((await room.get(taken.buildId)).usage).toEqual({ tokens_in: 100, tokens_out: 20, cost_usd: 0.3 });
    expect((await say(first)).status).toBe(409);
    await expectBalance(room);
  });

  it('uses the price of the model at that time until the coder reports a cost at the end', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const at = (minutes: number) => new Date(world.clock.now().getTime() + minutes * 60_000).toISOString();
    const price = { model: 'claude', usd_per_mtok_in: 3, usd_per_mtok_out: 15 };
    const prices = [
      { ...price, from: at(-10) },
      { ...price, from: at(60), usd_per_mtok_in: 6 },
    ];
    await world.operator('PUT', '/prices', { prices });
    expect((await room.call<{ prices: object[] }>('GET', '/api/v1/factory/prices')).body.prices).toHaveLength(
      2,
    );
    await begin(room);
    const taken = await room.take(desk);
    const say = async (tokens_in: number, tokens_out: number, cost_usd: number | null = null) =>
      (await room.usage(desk, taken.buildId, taken.claim, { tokens_in, tokens_out, cost_usd })).body.cost_usd;
    expect(await say(100_000, 10_000)).toBe(0.45);
    expect(await say(200_000, 10_000)).toBe(0.75);
    expect(await say(200_000, 10_000, 0.5)).toBe(0.75);
    await room.finish(desk, taken.buildId, taken.claim, {
      outcome: 'failed',
      usage: { tokens_in: 200_000, tokens_out: 10_000, cost_usd: 0.5 },
    });
    expect((await room.get(taken.buildId)).usage?.cost_usd).toBe(0.5);
    await expectBalance(room);
    await expect(world.operator('PUT', '/prices', { prices: [prices[0], prices[0]] })).rejects.toThrow('422');
    await world.operator('PUT', '/prices', { prices: [] });
  });

  it('stops the build at build_usd and keeps its commits', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { build_usd: 1 });
    const card = await room.card();
    await room.build(card.id);
    const taken = await room.take(desk);
    await spend(room, desk, taken, 0.99);
    expect(await room.work(desk, { slots: 0, running: [taken.buildId] })).toEqual([]);
    await spend(room, desk, taken, 1);
    const stop = { kind: 'stop', build_id: taken.buildId, reason: 'Budget reached' };
    expect(await room.work(desk, { slots: 0, running: [taken.buildId] })).toEqual([stop]);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed', reason: 'Budget reached' });
    expect(await room.get(taken.buildId)).toMatchObject({ status: 'failed', reason: 'Budget reached' });
    const next = await room.post(card.id, { continues: taken.buildId });
    expect(next.status).toBe(201);
    await expectBalance(room);
  });

  itDeeply('sends a cancel order to a desk that ignores the stop order, with the same outcome', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { build_usd: 1 });
    await begin(room);
    const taken = await room.take(desk);
    await spend(room, desk, taken, 1.2);
    world.clock.advance(61);
    const orders = await room.work(desk, { slots: 0, running: [taken.buildId] });
    expect(orders.map(({ kind }) => kind)).toEqual(['stop', 'cancel']);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'canceled' });
    expect(await room.get(taken.buildId)).toMatchObject({ status: 'failed', reason: 'Budget reached' });
  });

  itDeeply(
    'reserves 10 % more when the reservation is used up, or stops the build when the budget is used up',
    async () => {
      const room = await world.furnish();
      const desk = await room.readyDesk();
      await allow(room, { day_usd: 0.53 });
      await begin(room);
      const taken = await room.take(desk);
      await spend(room, desk, taken, 0.5);
      expect(await room.work(desk, { slots: 0, running: [taken.buildId] })).toEqual([]);
      await expectBalance(room);
      await spend(room, desk, taken, 0.53);
      expect(await room.work(desk, { slots: 0, running: [taken.buildId] })).toMatchObject([{ kind: 'stop' }]);
      await room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed', reason: 'Budget reached' });
      await expectBalance(room);
    },
  );

  itDeeply('stops a build when a new budget is below what the build has spent', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await begin(room);
    const taken = await room.take(desk);
    await spend(room, desk, taken, 3);
    await allow(room, { day_usd: 5 });
    await spend(room, desk, taken, 3.1);
    expect(await setAside(room)).toEqual({ workspace: 500_000 });
    expect(await room.work(desk, { slots: 0, running: [taken.buildId] })).toEqual([]);
    await allow(room, { day_usd: 2 });
    await spend(room, desk, taken, 3.7);
    expect(await room.work(desk, { slots: 0, running: [taken.buildId] })).toMatchObject([{ kind: 'stop' }]);
    await expectBalance(room);
  });

  itDeeply(
    'reserves from the next day after midnight and releases the reservation of the day before',
    async () => {
      const room = await world.furnish();
      const desk = await room.readyDesk();
      await allow(room, { day_usd: 1, card_usd: 9 });
      await begin(room);
      const taken = await room.take(desk);
      await spend(room, desk, taken, 0.1);
      for (let hours = 0; hours < 24; hours += 1) {
        world.clock.advance(3600);
        // Keeps the build from being lost or timed out while the clock moves by a day.
        await sql`
        update builds set heard_at = ${world.clock.now()}, progress_at = ${world.clock.now()}, wall_minutes = 10000
        where build_id = ${taken.buildId}`.execute(world.db);
      }
      await spend(room, desk, taken, 0.2);
      const { rows } = await sql<{ spent: number; reserved: number }>`
      select spent_micros as spent, reserved_micros as reserved from spend_tallies
      where brand_id = ${room.space.brand.brand_id} and scope = 'workspace' and length(period) = 10
      order by period`.execute(world.db);
      expect(rows).toEqual([
        { spent: 100_000, reserved: 0 },
        { spent: 100_000, reserved: 50_000 },
      ]);
      expect(await setAside(room)).toEqual({ card: 300_000, workspace: 50_000 });
      await expectBalance(room);
    },
  );

  itDeeply('counts usage that is reported after the build was lost', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { day_usd: 10 });
    await begin(room);
    const taken = await room.take(desk);
    await spend(room, desk, taken, 0.2);
    world.clock.advance(11 * 60);
    await world.runJob('build-pass');
    expect((await room.get(taken.buildId)).status).toBe('lost');
    await expectBalance(room);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded', usage: { cost_usd: 0.7 } });
    await expectBalance(room);
    expect((await report(room, 'by=coder')).total.cost_usd).toBe(0.7);
  });
});

describe('Budget notifications at 80 % and 100 %', () => {
  it('reach the inbox of the admins once per period', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    await allow(room, { day_usd: 10 });
    await begin(room);
    const taken = await room.take(desk);
    for (const cost of [7.9, 8, 8.5, 10, 10.5]) await spend(room, desk, taken, cost);
    expect(await inbox(room, 'budget_reached')).toEqual([
      "The day's budget of the workspace is spent: 10.00 USD of 10.00 USD",
      "The day's budget of the workspace is spent to 80 %: 8.00 USD of 10.00 USD",
    ]);
  });
});

describe('GET /api/v1/factory/spend', () => {
  it('sums by day, project, agent, card, coder and profile', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const card = await room.card();
    for (const cost of [0.1, 0.2]) {
      await room.build(card.id);
      const taken = await room.take(desk);
      await room.usage(desk, taken.buildId, taken.claim, { tokens_in: 1, tokens_out: 2, cost_usd: cost / 2 });
      await room.finish(desk, taken.buildId, taken.claim, {
        outcome: 'failed',
        usage: { tokens_in: 10, tokens_out: 20, cost_usd: cost },
      });
    }
    const spent = { builds: 2, tokens_in: 20, tokens_out: 40, cost_usd: 0.3 };
    const today = world.clock.now().toISOString().slice(0, 10);
    const expected: Record<string, { key: string; name: string }> = {
      day: { key: today, name: today },
      project: { key: room.projectId, name: 'Code' },
      agent: { key: '', name: 'No agent' },
      card: { key: card.id, name: `${card.ref} Answer better` },
      coder: { key: 'claude', name: 'claude' },
    };
    for (const [by, named] of Object.entries(expected))
      expect(await report(room, `by=${by}`), by).toEqual({ rows: [{ ...named, ...spent }], total: spent });
    expect((await report(room, 'by=profile')).total).toEqual(spent);
    // The range contains the start of a month, and the tally of that month must not count as a day.
    const before = new Date(world.clock.now().getTime() - 60 * 86_400_000).toISOString().slice(0, 10);
    for (const [by, named] of Object.entries(expected))
      expect(await report(room, `by=${by}&from=${before}&to=${today}`), by).toEqual({
        rows: [{ ...named, ...spent }],
        total: spent,
      });
    expect((await report(room, 'by=day&from=2020-01-01&to=2020-12-31')).rows).toEqual([]);
  });

  it('counts builds without usage separately until they report some', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const end = async (body: object) => {
      await begin(room);
      const taken = await room.take(desk);
      await room.finish(desk, taken.buildId, taken.claim, { outcome: 'failed', ...body });
    };
    await end({});
    await end({ usage: { tokens_in: null, tokens_out: null, cost_usd: null } });
    await end({ usage: { tokens_in: 0, tokens_out: 0, cost_usd: 0 } });
    await begin(room);
    const late = await room.take(desk);
    await world.advance(601);
    await world.runJob('build-pass');
    // A build that never started counts as free, not as a build without usage.
    const waiting = await room.build((await room.card()).id);
    await room.call('POST', `/api/v1/factory/builds/${waiting.build_id}/cancel`);
    const free = { tokens_in: 0, tokens_out: 0, cost_usd: 0 };
    for (const by of ['day', 'project', 'agent', 'coder'])
      expect(await report(room, `by=${by}`), by).toMatchObject({
        rows: [{ builds: 4, without_usage: 3, ...free }],
        total: { builds: 4, without_usage: 3, ...free },
      });
    const usage = { tokens_in: 5, tokens_out: 1, cost_usd: 0.5 };
    await room.finish(desk, late.buildId, late.claim, { outcome: 'failed', usage });
    expect((await report(room, 'by=day')).total).toEqual({ builds: 4, without_usage: 2, ...usage });
    await expectBalance(room);
  });

  it.each(['by=moon', 'from=2026-02-30', 'from=2026-02-02&to=2026-02-01', 'from=2020-01-01&to=2022-01-01'])(
    'refuses %s with 422',
    async (query) => {
      const room = await world.furnish();
      expect((await room.call('GET', `/api/v1/factory/spend?${query}`)).status).toBe(422);
    },
  );
});

describe('GET and PUT the budget of a project and of an agent', () => {
  it('shows the spend against the budget', async () => {
    const room = await world.furnish();
    const desk = await room.readyDesk();
    const path = `/api/v1/projects/${room.projectId}/budget`;
    await room.call('PUT', path, { day_usd: 4, month_usd: 40 });
    await begin(room);
    const taken = await room.take(desk);
    await spend(room, desk, taken, 0.5);
    expect((await room.call('GET', path)).body).toEqual({
      day_usd: 4,
      month_usd: 40,
      day_spent_usd: 0.5,
      month_spent_usd: 0.5,
    });
    expect((await room.call('GET', '/api/v1/memory/agents/nobody-here/budget')).status).toBe(404);
  });

  itDeeply('keeps omitted limits and removes a limit with null', async () => {
    const room = await world.furnish();
    const path = `/api/v1/projects/${room.projectId}/budget`;
    await room.call('PUT', path, { day_usd: 4, month_usd: 40 });
    const kept = await room.call('PUT', path, { day_usd: 5 });
    expect([kept.status, kept.body]).toMatchObject([200, { day_usd: 5, month_usd: 40 }]);
    expect((await room.call('PUT', path, { month_usd: null })).body).toMatchObject({
      day_usd: 5,
      month_usd: null,
    });
  });
});

describe('Usage without tokens', () => {
  it('keeps tokens null, never zero, and counts the build and its cost once', async () => {
    const room = await world.furnish({ plan: 'enterprise' });
    const desk = await room.readyDesk();
    await begin(room);
    const taken = await room.take(desk);
    for (const cost_usd of [0.25, 0.5])
      await room.usage(desk, taken.buildId, taken.claim, { tokens_in: null, tokens_out: null, cost_usd });
    const usage = { tokens_in: null, tokens_out: null, cost_usd: 0.5 };
    expect((await room.get(taken.buildId)).usage).toEqual(usage);
    await room.finish(desk, taken.buildId, taken.claim, { outcome: 'succeeded', usage });
    expect((await room.get(taken.buildId)).usage).toEqual(usage);
    expect((await report(room, 'by=coder')).total).toMatchObject({ builds: 1, cost_usd: 0.5 });
    await expectBalance(room);
  });
});
