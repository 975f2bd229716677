import { describe, expect, it as itInBoth } from 'vitest';
import { startTestApp } from '../../../../tests/support/app.js';
import { deskCalls, openBuildWorld } from '../../../../tests/support/build-world.js';
import { isDeep, itUsually as it, itDeeply } from '../../../../tests/support/deep.js';

const world = await openBuildWorld();
const home = await world.furnish({ plan: 'enterprise' });
const desk = await home.readyDesk();

const nextBuild = async (body: object = {}) => home.build((await home.card()).id, body);
const cancel = (buildId: string) => home.call('POST', `/api/v1/factory/builds/${buildId}/cancel`);
const settled = (): Promise<unknown> => world.runJob('build-pass');

describe('POST /api/v1/desk/work', () => {
  it('returns an order as soon as there is one', async () => {
    const asked = home.work(desk, { wait_seconds: 20 });
    const build = await nextBuild();
    const [order] = await asked;
    expect(order).toMatchObject({ kind: 'start', build_id: build.build_id });
    expect(await home.get(build.build_id)).toMatchObject({
      status: 'claimed',
      waiting_for: null,
      workstation_id: desk.id,
    });
    await home.start(desk, build.build_id, order!.claim);
    await home.finish(desk, build.build_id, order!.claim, { outcome: 'succeeded' });
  });

  it('wakes desks that wait on another node', async () => {
    const second = await startTestApp({ database: world.database });
    try {
      const asked = deskCalls(second).work(desk, { wait_seconds: 20 });
      const build = await nextBuild();
      const [order] = await asked;
      expect(order?.build_id).toBe(build.build_id);
      await home.finish(desk, build.build_id, order!.claim, { outcome: 'failed' });
    } finally {
      await second.stop();
    }
  });

  it('returns an empty list at the end of the wait', async () => {
    expect(await home.work(desk)).toEqual([]);
  });

  itInBoth('gives a build to one desk when several desks ask at the same time', async () => {
    const space = await world.furnish({ plan: 'business' });
    const desks = await Promise.all(Array.from({ length: isDeep ? 20 : 6 }, () => space.readyDesk()));
    const build = await space.build((await space.card()).id);
    const answers = await Promise.all(desks.map((each) => space.work(each)));
    const given = answers.flat();
    expect(given).toHaveLength(1);
    expect(given[0]!.build_id).toBe(build.build_id);
  });

  it('returns as many orders as the desk has slots, oldest first, and none for zero slots', async () => {
    const space = await world.furnish();
    const worker = await space.readyDesk();
    const made = [];
    for (let count = 0; count < 12; count += 1) {
      made.push(await space.build((await space.card()).id));
      await world.advance(1);
    }
    expect(await space.work(worker, { slots: 0 })).toEqual([]);
    expect((await space.get(made[0]!.build_id)).waiting_for).toBe('slot');
    const orders = await space.work(worker, { slots: 11 });
    expect(orders.map(({ build_id }) => build_id)).toEqual(made.slice(0, 11).map(({ build_id }) => build_id));
    expect(new Set(orders.map(({ claim }) => claim)).size).toBe(11);
  });

  itDeeply('gives a desk only builds that it can run and that no other desk was requested for', async () => {
    const space = await world.furnish();
    const codex = await space.readyDesk({ runtime: 'codex' });
    const other = await space.readyDesk({ runtime: 'codex' });
    await space.build((await space.card()).id, { coder: 'claude' });
    expect(await space.work(codex)).toEqual([]);
    const wanted = await space.build((await space.card()).id, { coder: 'codex', workstation_id: other.id });
    expect(wanted.wanted_workstation_id).toBe(other.id);
    expect(await space.work(codex)).toEqual([]);
    expect(await space.work(other, { coders: ['claude'] })).toEqual([]);
    expect((await space.work(other, { coders: ['codex'] }))[0]?.build_id).toBe(wanted.build_id);
  });

  it('returns nothing to a desk that is not ready, and nothing of other workspaces', async () => {
    const space = await world.furnish();
    const build = await space.build((await space.card()).id);
    expect(await home.work(desk)).toEqual([]);
    const ordered = await world.order(space.space, { runtime: 'custom' });
    expect(await space.work({ id: ordered.workstation_id, pat: ordered.pat })).toEqual([]);
    const ready = await space.readyDesk();
    await world.asMember(space.space)('PATCH', `/api/v1/environments/${ready.id}`, { status: 'suspended' });
    expect(await space.work(ready)).toEqual([]);
    expect(await space.get(build.build_id)).toMatchObject({ status: 'queued', waiting_for: 'desk' });
  });

  it.each([
    { nonce: 'short' },
    { slots: -1 },
    { slots: 1.5 },
    { slots: 1001 },
    { wait_seconds: 51 },
    { wait_seconds: -1 },
    { running: ['no-uuid'] },
    { running: 'x' },
    { coders: [1] },
    { more: true },
  ])('returns 422 for %j', async (fields) => {
    await expect(home.work(desk, fields)).rejects.toThrow('422');
  });

  itDeeply('stops waiting when the token is replaced', async () => {
    const space = await world.furnish();
    const worker = await space.readyDesk();
    const asked = space.work(worker, { wait_seconds: 50 });
    asked.catch(() => {});
    await until(async () => (await space.call('GET', '/api/v1/factory/builds')).status === 200);
    await world.asMember(space.space)('POST', `/api/v1/workstations/${worker.id}/regenerate-pat`, {});
    await space.build((await space.card()).id);
    await expect(asked).rejects.toThrow('401');
  });
});

describe('The claim of a build', () => {
  it('expires after 60 s without a start, and the build is queued again and gets a new claim', async () => {
    const build = await nextBuild();
    const [first] = await home.work(desk);
    await world.advance(59);
    expect((await home.get(build.build_id)).status).toBe('claimed');
    await world.advance(1);
    expect(await home.get(build.build_id)).toMatchObject({
      status: 'queued',
      workstation_id: null,
      claimed_at: null,
    });
    const late = await home.start(desk, build.build_id, first!.claim);
    expect(late.status).toBe(409);
    expect(late.body.detail.error).toBe('claim_lost');
    const [second] = await home.work(desk);
    expect(second!.build_id).toBe(build.build_id);
    expect(second!.claim).not.toBe(first!.claim);
    expect((await home.start(desk, build.build_id, first!.claim)).status).toBe(409);
    expect((await home.start(desk, build.build_id, second!.claim)).status).toBe(200);
    await home.finish(desk, build.build_id, second!.claim, { outcome: 'succeeded' });
  });

  it('is canceled on its desk after it expired, before the desk can get the build again', async () => {
    const build = await nextBuild();
    await home.work(desk);
    await world.advance(61);
    await world.poll();
    const named = await home.work(desk, { running: [build.build_id] });
    expect(named).toEqual([{ kind: 'cancel', build_id: build.build_id }]);
    const [order] = await home.work(desk);
    expect(order).toMatchObject({ kind: 'start', build_id: build.build_id });
    await home.start(desk, build.build_id, order!.claim);
    await home.finish(desk, build.build_id, order!.claim, { outcome: 'succeeded' });
  });

  itDeeply('is announced to waiting desks by the job after it expires', async () => {
    const build = await nextBuild();
    await home.work(desk);
    await world.advance(61);
    const asked = home.work(await home.readyDesk(), { wait_seconds: 20 });
    await settled();
    const [order] = await asked;
    expect(order?.build_id).toBe(build.build_id);
    await cancel(build.build_id);
    await world.advance(61);
    await settled();
  });

  it('is required for every report: a missing, wrong or foreign one returns claim_lost', async () => {
    const build = await nextBuild();
    const [order] = await home.work(desk);
    const stranger = await home.readyDesk();
    for (const [who, claim] of [
      [desk, undefined],
      [desk, 'wrong'],
      [stranger, order!.claim],
    ] as const)
      for (const answer of [
        await home.start(who, build.build_id, claim),
        await home.log(who, build.build_id, claim, 1, 'x'),
        await home.finish(who, build.build_id, claim, { outcome: 'succeeded' }),
      ]) {
        expect(answer.status).toBe(409);
        expect(answer.body.detail.error).toBe('claim_lost');
      }
    expect((await home.get(build.build_id)).status).toBe('claimed');
    const other = await world.furnish();
    const foreign = await other.readyDesk();
    expect((await other.start(foreign, build.build_id, order!.claim)).status).toBe(404);
    await home.finish(desk, build.build_id, order!.claim, { outcome: 'canceled' });
  });

  it('is stored only as a hash', async () => {
    const build = await nextBuild();
    const [order] = await home.work(desk);
    const { rows } = await world.database.pool.query('select * from builds where build_id = $1', [
      build.build_id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(order!.claim);
    expect(world.logLines.join('')).not.toContain(order!.claim);
    await home.finish(desk, build.build_id, order!.claim, { outcome: 'canceled' });
  });
});

describe('POST /api/v1/desk/builds/{build_id}/start', () => {
  it('returns what to run, the same on repetition, and sets the build to running', async () => {
    const build = await nextBuild({ coder: 'openhands' });
    const [order] = await home.work(desk);
    const { status, body } = await home.start(desk, build.build_id, order!.claim);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      build_id: build.build_id,
      coder: 'openhands',
      profile: 'openhands.coding',
      settings: { wall_minutes: 120 },
      wall_minutes: 120,
      branch: build.branch,
      base_sha: build.base_sha,
      env: { venv: 'fresh', browser: 'off' },
    });
    expect(body.brief).toContain(build.ref);
    const running = await home.get(build.build_id);
    expect(running).toMatchObject({ status: 'running', silent: false });
    expect(running.brief_digest).toMatch(/^[0-9a-f]{64}$/);
    const again = await home.start(desk, build.build_id, order!.claim);
    expect(again.status).toBe(200);
    expect(again.body.brief).toBe(body.brief);
    expect((await home.get(build.build_id)).started_at).toBe(running.started_at);
    await home.finish(desk, build.build_id, order!.claim, { outcome: 'succeeded' });
    expect((await home.start(desk, build.build_id, order!.claim)).status).toBe(409);
  });

  it('is refused once the build was canceled, and the build is not queued again', async () => {
    const build = await nextBuild();
    const [order] = await home.work(desk);
    const canceled = await cancel(build.build_id);
    expect(canceled.status).toBe(202);
    expect(canceled.body).toMatchObject({ status: 'claimed' });
    const refused = await home.start(desk, build.build_id, order!.claim);
    expect(refused.status).toBe(409);
    expect(refused.body.detail.error).toBe('claim_lost');
    expect(await home.work(desk)).toEqual([{ kind: 'cancel', build_id: build.build_id }]);
    await world.advance(61);
    expect((await home.get(build.build_id)).status).toBe('canceled');
    await settled();
    expect((await home.get(build.build_id)).status).toBe('canceled');
    expect(await home.work(desk)).toEqual([]);
  });
});

describe('A running build', () => {
  it('is silent after 60 s, and no longer when its desk reports it', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    const { claim } = await home.take(desk);
    await world.advance(59);
    expect((await home.get(build.build_id)).silent).toBe(false);
    await world.advance(1);
    expect((await home.get(build.build_id)).silent).toBe(true);
    await home.work(desk, { slots: 0, running: [build.build_id] });
    const heard = await home.get(build.build_id);
    expect(heard).toMatchObject({ status: 'running', silent: false });
    expect((await home.readCard(card.id))['last_heartbeat_at']).toBe(heard.heard_at);
    await home.finish(desk, build.build_id, claim, { outcome: 'succeeded' });
  });

  it('is lost after 10 minutes without a sign of life, and is not queued again', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    await home.take(desk);
    await world.advance(599);
    expect((await home.get(build.build_id)).status).toBe('running');
    await world.advance(1);
    expect((await home.get(build.build_id)).status).toBe('lost');
    await settled();
    const lost = await home.get(build.build_id);
    expect(lost).toMatchObject({ status: 'lost', reason: 'The desk was not heard of for 10 minutes' });
    expect(new Date(lost.finished_at!).getTime() - new Date(lost.heard_at!).getTime()).toBe(600_000);
    expect(await home.work(desk)).toEqual([]);
    expect(await home.readCard(card.id)).toMatchObject({ status: 'blocked', error_code: 'lost' });
  });

  it('accepts a late outcome and says that it is late', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    const { claim } = await home.take(desk);
    await world.advance(601);
    await settled();
    expect((await home.log(desk, build.build_id, claim, 1, 'still here\n')).status).toBe(200);
    const body = {
      outcome: 'succeeded',
      result: 'Done',
      usage: { tokens_in: 5, tokens_out: 6, cost_usd: 0.5 },
    };
    expect((await home.finish(desk, build.build_id, claim, body)).status).toBe(200);
    expect((await home.finish(desk, build.build_id, claim, body)).status).toBe(200);
    const late = await home.get(build.build_id);
    expect(late).toMatchObject({ status: 'succeeded', result: 'Done', usage: body.usage });
    expect(late.reason).toContain('late');
    expect(await home.readCard(card.id)).toMatchObject({
      status: 'in_review',
      error_code: null,
      result: 'Done',
    });
  });

  it('updates the card from a late outcome only when no newer attempt exists', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    const { claim } = await home.take(desk);
    await world.advance(601);
    // The loss is not stored yet, so the next attempt stores it.
    const next = await home.build(card.id);
    expect(next.attempt).toBe(2);
    const again = await home.take(desk);
    await home.finish(desk, build.build_id, claim, { outcome: 'succeeded', result: 'Old' });
    expect((await home.get(build.build_id)).status).toBe('succeeded');
    expect(await home.readCard(card.id)).toMatchObject({ status: 'in_progress', attempt: 2, result: null });
    await home.finish(desk, next.build_id, again.claim, { outcome: 'succeeded' });
  });

  it('gets a cancel order after the service has ended it', async () => {
    const build = await nextBuild();
    await home.take(desk);
    await world.advance(601);
    const unknown = crypto.randomUUID();
    const orders = await home.work(desk, { slots: 0, running: [build.build_id, unknown], wait_seconds: 20 });
    expect(orders.map(({ kind, build_id }) => [kind, build_id]).sort()).toEqual(
      [
        ['cancel', build.build_id],
        ['cancel', unknown],
      ].sort(),
    );
  });

  itDeeply('is stopped by the service 10 minutes after its time limit', async () => {
    const space = await world.furnish();
    await space.call('PUT', '/api/v1/factory/builds/policy', { max_minutes: 5 });
    const worker = await space.readyDesk();
    const card = await space.card();
    const build = await space.build(card.id);
    const { claim } = await space.take(worker);
    for (let minute = 0; minute < 14; minute += 7) {
      await world.advance(7 * 60);
      await space.work(worker, { slots: 0, running: [build.build_id] });
    }
    expect((await space.get(build.build_id)).status).toBe('running');
    await world.advance(61);
    expect((await space.get(build.build_id)).status).toBe('timed_out');
    await settled();
    expect(await space.readCard(card.id)).toMatchObject({ status: 'blocked', error_code: 'timed_out' });
    expect(await space.work(worker, { running: [build.build_id], slots: 0 })).toEqual([
      { kind: 'cancel', build_id: build.build_id },
    ]);
    const late = await space.finish(worker, build.build_id, claim, { outcome: 'canceled' });
    expect(late.status).toBe(200);
    expect((await space.get(build.build_id)).status).toBe('timed_out');
  });
});

describe('POST /api/v1/factory/builds/{build_id}/cancel', () => {
  it('ends a queued build at once, and returns 409 for a finished one', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    const canceled = await cancel(build.build_id);
    expect(canceled.status).toBe(202);
    expect(canceled.body).toMatchObject({ status: 'canceled', waiting_for: null });
    expect((await cancel(build.build_id)).status).toBe(409);
    expect((await home.readCard(card.id))['status']).toBe('pending');
    expect((await home.activity()).filter(({ task_id }) => task_id === card.id)).toHaveLength(1);
  });

  it('sends a cancel order to the desk of a running build, even during a poll that waits', async () => {
    const build = await nextBuild();
    const { claim } = await home.take(desk);
    const asked = home.work(desk, { slots: 0, running: [build.build_id], wait_seconds: 20 });
    const answer = await cancel(build.build_id);
    expect(answer.body).toMatchObject({ status: 'running' });
    expect((answer.body as { cancel_requested_at: string }).cancel_requested_at).not.toBeNull();
    expect(await asked).toEqual([{ kind: 'cancel', build_id: build.build_id }]);
    expect((await cancel(build.build_id)).status).toBe(202);
    await home.finish(desk, build.build_id, claim, { outcome: 'canceled' });
    expect((await home.get(build.build_id)).status).toBe('canceled');
  });

  it('racing with a finish, lets one win and answers both consistently', async () => {
    for (let round = 0; round < 5; round += 1) {
      const build = await nextBuild();
      const { claim } = await home.take(desk);
      const [canceled, finished] = await Promise.all([
        cancel(build.build_id),
        home.finish(desk, build.build_id, claim, { outcome: 'succeeded' }),
      ]);
      expect([202, 409]).toContain(canceled.status);
      expect(finished.status).toBe(200);
      expect((await home.get(build.build_id)).status).toBe('succeeded');
    }
  });
});

describe('POST /api/v1/desk/builds/{build_id}/finish', () => {
  it('returns the same answer for the same body, and refuses another body', async () => {
    const build = await nextBuild();
    const { claim } = await home.take(desk);
    const body = { outcome: 'failed', reason: 'The tests do not pass' };
    const first = await home.finish(desk, build.build_id, claim, body);
    expect(first.status).toBe(200);
    expect(await home.finish(desk, build.build_id, claim, body)).toMatchObject({
      status: 200,
      body: first.body,
    });
    expect((await home.finish(desk, build.build_id, claim, { outcome: 'succeeded' })).status).toBe(409);
    expect(await home.get(build.build_id)).toMatchObject({ status: 'failed', reason: body.reason });
    expect((await home.log(desk, build.build_id, claim, 1, 'late')).status).toBe(409);
  });

  it('racing with the loss of the build, stores the outcome of the desk', async () => {
    const build = await nextBuild();
    const { claim } = await home.take(desk);
    await world.advance(601);
    const [finished] = await Promise.all([
      home.finish(desk, build.build_id, claim, { outcome: 'succeeded' }),
      settled(),
    ]);
    expect(finished.status).toBe(200);
    expect(await home.get(build.build_id)).toMatchObject({ status: 'succeeded' });
  });

  it('holds the desk until its provider accepts work again', async () => {
    const space = await world.furnish();
    const worker = await space.readyDesk();
    const build = await space.build((await space.card()).id);
    const { claim } = await space.take(worker);
    const heldUntil = new Date(world.clock.now().getTime() + 3_600_000).toISOString();
    await space.finish(worker, build.build_id, claim, { outcome: 'failed', held_until: heldUntil });
    const waiting = await space.build((await space.card()).id);
    expect(await space.work(worker)).toEqual([]);
    expect(await space.get(waiting.build_id)).toMatchObject({ waiting_for: 'hold', held_until: heldUntil });
    await world.advance(3601);
    expect((await space.work(worker))[0]?.build_id).toBe(waiting.build_id);
  });

  itDeeply('returns allow_secrets only if the policy allows secrets in commits', async () => {
    const space = await world.furnish();
    const worker = await space.readyDesk();
    const startNext = async () => {
      await space.build((await space.card()).id);
      const [order] = await space.work(worker);
      return (await space.start(worker, order!.build_id, order!.claim)).body;
    };
    expect(await startNext()).not.toHaveProperty('allow_secrets');
    const policy = '/api/v1/factory/builds/policy';
    expect((await space.call('PUT', policy, { allow_secrets: true })).body).toMatchObject({
      allow_secrets: true,
    });
    expect((await space.call('GET', policy)).body).toMatchObject({ allow_secrets: true });
    expect(await startNext()).toMatchObject({ allow_secrets: true });
    await space.call('PUT', policy, { allow_secrets: false });
    expect((await space.call('GET', policy)).body).not.toHaveProperty('allow_secrets');
  });

  it.each([
    {},
    { outcome: 'lost' },
    { outcome: 'succeeded', usage: { tokens_in: -1 } },
    { outcome: 'succeeded', usage: { tokens_in: 1.5 } },
    { outcome: 'succeeded', held_until: 'tomorrow' },
    { outcome: 'succeeded', conversation: [{ role: 'user' }] },
    { outcome: 'succeeded', surprise: 1 },
  ])('returns 422 for %j', async (body) => {
    expect((await home.finish(desk, crypto.randomUUID(), 'x', body)).status).toBe(422);
  });
});

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}
