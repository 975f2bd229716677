import { describe, expect, it } from 'vitest';
import { openBuildWorld } from '../../../../tests/support/build-world.js';

const world = await openBuildWorld();
const home = await world.furnish();
const desk = await home.readyDesk();

const usage = { tokens_in: 100, tokens_out: 20, cost_usd: 0.25 };
const entriesOf = async (taskId: string) =>
  (await home.activity()).filter(({ task_id, action }) => task_id === taskId && action !== 'task.created');

describe('The card of a build', () => {
  it('is updated by the start in a single activity entry', async () => {
    const card = await home.card({ error_code: 'failed', error_message: 'Last time' });
    const build = await home.build(card.id);
    expect(await entriesOf(card.id)).toHaveLength(0);
    const { claim } = await home.take(desk);
    const running = await home.get(build.build_id);
    expect(await home.readCard(card.id)).toMatchObject({
      status: 'in_progress',
      attempt: 1,
      branch: build.branch,
      base_branch: build.base_branch,
      environment_id: desk.id,
      runtime: 'custom',
      queued_at: build.queued_at,
      claimed_at: running.claimed_at,
      started_at: running.started_at,
      completed_at: null,
      error_code: null,
      error_message: null,
    });
    const entries = await entriesOf(card.id);
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ action: 'task.moved', actor: null });
    expect(entries[0]!.changes).toMatchObject({ status: { to: 'in_progress' } });
    await home.log(desk, build.build_id, claim, 1, 'x\n');
    await home.work(desk, { slots: 0, running: [build.build_id] });
    expect(await entriesOf(card.id)).toHaveLength(1);
    await home.finish(desk, build.build_id, claim, { outcome: 'canceled' });
  });

  it.each([
    ['succeeded', 'in_review', null, null],
    ['failed', 'blocked', 'failed', 'Because'],
    ['timed_out', 'blocked', 'timed_out', 'Because'],
    ['canceled', 'pending', null, null],
  ])('after an outcome of %s becomes %s', async (outcome, status, error_code, error_message) => {
    const card = await home.card();
    const build = await home.build(card.id);
    const { claim } = await home.take(desk);
    await home.finish(desk, build.build_id, claim, {
      outcome,
      reason: 'Because',
      result: 'EndReport',
      usage,
    });
    const ended = await home.get(build.build_id);
    expect(await home.readCard(card.id)).toMatchObject({
      status,
      error_code,
      error_message,
      result: 'EndReport',
      ...usage,
      completed_at: ended.finished_at,
    });
    expect(await entriesOf(card.id)).toHaveLength(2);
  });

  it('sums the spend of its builds', async () => {
    const card = await home.card();
    for (let round = 1; round <= 3; round += 1) {
      const build = await home.build(card.id);
      const { claim } = await home.take(desk);
      await home.finish(desk, build.build_id, claim, { outcome: 'failed', usage });
      expect(await home.readCard(card.id)).toMatchObject({
        attempt: round,
        tokens_in: 100 * round,
        tokens_out: 20 * round,
        cost_usd: 0.25 * round,
      });
    }
  });

  it('is blocked by a build that failed before its start, unless the card is done', async () => {
    const card = await home.card();
    const finished = await home.card();
    await home.build(card.id);
    const [order] = await home.work(desk);
    const failure = { outcome: 'failed', reason: 'The disk is full' };
    expect((await home.finish(desk, order!.build_id, order!.claim, failure)).status).toBe(200);
    expect(await home.readCard(card.id)).toMatchObject({
      status: 'blocked',
      error_code: 'failed',
      error_message: 'The disk is full',
    });
    await home.build(finished.id);
    const [other] = await home.work(desk);
    await home.call('PATCH', `/api/v1/board/tasks/${finished.id}`, { status: 'done' });
    await home.finish(desk, other!.build_id, other!.claim, failure);
    expect((await home.readCard(finished.id))['status']).toBe('done');
  });

  it('keeps a status that a person has set meanwhile', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    const { claim } = await home.take(desk);
    await home.call('PATCH', `/api/v1/board/tasks/${card.id}`, { status: 'done' });
    await home.finish(desk, build.build_id, claim, { outcome: 'failed', result: 'Half', usage });
    expect(await home.readCard(card.id)).toMatchObject({ status: 'done', result: 'Half', tokens_in: 100 });
  });

  it('keeps a blocked status that a person set when a result comes late', async () => {
    const card = await home.card();
    const build = await home.build(card.id);
    const { claim } = await home.take(desk);
    await home.call('PATCH', `/api/v1/board/tasks/${card.id}`, { status: 'blocked' });
    await world.advance(601);
    await world.runJob('build-pass');
    await home.finish(desk, build.build_id, claim, { outcome: 'succeeded', result: 'Late' });
    expect(await home.readCard(card.id)).toMatchObject({ status: 'blocked', result: 'Late' });
  });

  it('deletes its builds when it is deleted', async () => {
    const card = await home.card();
    const waiting = await home.card();
    const running = await home.build(card.id);
    const { claim } = await home.take(desk);
    const queued = await home.build(waiting.id);
    for (const { id } of [card, waiting]) await home.call('DELETE', `/api/v1/board/tasks/${id}`);
    await world.runJob('build-pass');
    expect((await home.get(queued.build_id)).status).toBe('canceled');
    expect(await home.work(desk, { running: [running.build_id] })).toEqual([
      { kind: 'cancel', build_id: running.build_id },
    ]);
    expect((await home.finish(desk, running.build_id, claim, { outcome: 'canceled' })).status).toBe(200);
    expect((await world.runJob('build-pass')).processed).toBe(0);
  });
});
