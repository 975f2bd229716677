import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { type Order, openBuildWorld } from '../../../../tests/support/build-world.js';
import { checkRoom } from '../../../../tests/support/check-room.js';
import { isDeep } from '../../../../tests/support/deep.js';
import { OUTCOMES } from '../builds.schemas.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { LIFECYCLE, type State, stateOf } from './states.js';

const world = await openBuildWorld();
const home = await world.furnish({ plan: 'enterprise' });
const desk = await home.readyDesk();
const room = checkRoom(home);
await room.setChecks({ checks: [{ name: 'tests', command: 'npm test', minutes: 5 }] });

/** Actions of people, desks and the clock, applied to the newest build of the card in any state. */
const ACTIONS = [
  'ask',
  'start',
  'deliver',
  'question',
  'answer',
  'report succeeded',
  'report failed',
  'report canceled',
  'report timed_out',
  'cancel',
  'wait 61',
  'wait 601',
  'wait 9000',
  'write down',
  'check passed',
  'check failed',
  'look',
  'review pass',
  'review fail',
  'accept',
  'rework',
] as const;
type Action = (typeof ACTIONS)[number];

const NEXT_BY_TABLE = (from: State): State[] => Object.values(LIFECYCLE[from]).map(({ to }) => to);

/** Allows extra steps, because the clock may decide before an action and the service right after it. */
function mayBecome(from: State, to: State, most: number): boolean {
  let reached = new Set<State>([from]);
  for (let step = 0; step < most; step += 1)
    reached = new Set([...reached, ...[...reached].flatMap(NEXT_BY_TABLE)]);
  return reached.has(to);
}

function expectSound(build: BuildRow): void {
  const isOutcome = OUTCOMES.some((outcome) => outcome === build.status);
  expect(build.finished_at === null).toBe(build.outcome === null);
  expect(build.ended_at !== null).toBe(isOutcome);
  if (build.outcome !== null) expect(build.status).toBe(build.outcome);
  if (build.status === 'claimed') expect(build.claim_hash).not.toBeNull();
  if (['running', 'waiting', 'checking'].includes(build.status)) expect(build.started_at).not.toBeNull();
  if (build.review_wanted_at !== null) expect(build.checking_at).not.toBeNull();
  if (build.accepted_at !== null) expect([build.outcome, build.reworked_at]).toEqual(['succeeded', null]);
  if (build.reworked_at !== null) expect([build.outcome, build.accepted_at]).toEqual(['succeeded', null]);
}

async function walk(actions: readonly Action[], policy: object): Promise<void> {
  await room.setPolicy(policy);
  const brandId = home.space.brand.brand_id;
  const card = await home.card();
  await home.build(card.id);
  const orders = new Map<string, Order>();
  const states = new Map<string, State>();

  async function observe(after: string): Promise<BuildRow> {
    const { rows } = await sql<{ build_id: string }>`
      select build_id from builds where task_id = ${card.id} order by kind, attempt, queued_at`.execute(
      world.db,
    );
    const builds = await Promise.all(
      rows.map(
        async ({ build_id }) => (await buildStore(world.db, brandId).find(build_id, world.clock.now()))!,
      ),
    );
    for (const build of builds) {
      const before = states.get(build.build_id) ?? 'queued';
      const now = stateOf(build);
      // A single action queues, starts and ends a review.
      if (!mayBecome(before, now, build.kind === 'review' ? 3 : 2))
        expect(`${before}, ${after}: ${now}`).toBe('a way of the table');
      states.set(build.build_id, now);
      expectSound(build);
    }
    return builds.filter(({ kind }) => kind === 'build').at(-1)!;
  }

  async function ask(): Promise<void> {
    for (const order of await home.work(desk))
      if (order.kind === 'start' || order.kind === 'check')
        orders.set(`${order.kind} ${order.build_id}`, order);
  }

  async function act(action: Action, build: BuildRow): Promise<number | undefined> {
    const [word, more = ''] = action.split(' ');
    const { build_id: id } = build;
    const claim = orders.get(`start ${id}`)?.claim;
    switch (word) {
      case 'start':
        return (await home.start(desk, id, claim)).status;
      case 'deliver': {
        if (build.status !== 'running' || claim === undefined || build.head_sha !== null) return undefined;
        const repository = await room.git.checkOut(desk, { buildId: id, claim });
        repository.save({ 'src/work.ts': `export const work = '${id}';\n` });
        const bundle = room.git.bundle(repository, `${build.base_sha}..${build.branch}`);
        repository.dispose();
        return (await room.git.handIn(desk, { buildId: id, claim }, bundle)).status;
      }
      case 'question':
        return (
          await home.say(desk, 'POST', `builds/${id}/questions`, {
            claim,
            payload: { key: 'a', question: 'Which color?' },
          })
        ).status;
      case 'answer': {
        const path = `/api/v1/factory/builds/${id}/questions`;
        const { body } = await home.call<{ questions: { question_id: string }[] }>('GET', path);
        const [question] = body.questions;
        if (!question) return undefined;
        return (await home.call('POST', `${path}/${question.question_id}/answer`, { text: 'Red' })).status;
      }
      case 'report':
        return (await home.finish(desk, id, claim, { outcome: more })).status;
      case 'cancel':
        return (await home.call('POST', `/api/v1/factory/builds/${id}/cancel`)).status;
      case 'wait':
        await world.advance(Number(more));
        return undefined;
      case 'write':
        return void expect(await world.runJob('build-pass')).toMatchObject({ failed: 0 });
      case 'look':
        return void expect(await world.runJob('build-gate')).toMatchObject({ failed: 0 });
      case 'check': {
        await ask();
        const order = orders.get(`check ${id}`);
        if (!order) return undefined;
        const claimed = { buildId: id, claim: order.claim };
        if ((await room.start(desk, claimed)).status !== 200) return undefined;
        const checks = [{ name: 'tests', status: more, exit_code: more === 'passed' ? 0 : 1, seconds: 1 }];
        return (await room.finish(desk, claimed, { checks })).status;
      }
      case 'review': {
        await ask();
        for (const order of orders.values()) {
          if (order.kind !== 'start' || order.build_id === id) continue;
          const started = await home.start(desk, order.build_id, order.claim);
          if (started.status !== 200 || started.body.kind !== 'review') continue;
          const review = { verdict: more, comments: [] };
          await home.finish(desk, order.build_id, order.claim, { outcome: 'succeeded', review });
        }
        return undefined;
      }
      case 'accept':
      case 'rework': {
        const comments = word === 'rework' ? { comments: [{ body: 'Once more' }] } : {};
        const body = { decision: word, ...comments };
        return (await home.call('POST', `/api/v1/factory/builds/${id}/review`, body)).status;
      }
      default:
        return void (await ask());
    }
  }

  let newest = await observe('asked for');
  for (const action of actions) {
    const status = await act(action, newest);
    // Refusals must be client errors. A step that is missing from the table would be a 500.
    if (status !== undefined) expect([action, status, status < 500]).toEqual([action, status, true]);
    newest = await observe(action);
  }
  // Cancels what is left, so that the next walk has the desk to itself.
  await home.call('POST', `/api/v1/factory/builds/${newest.build_id}/cancel`);
  await world.advance(9000);
  expect(await world.runJob('build-pass')).toMatchObject({ failed: 0 });
  await observe('given up');
}

/** Mostly the usual order, so that walks get far, mixed with random actions. */
const USUAL: readonly Action[] = [
  'ask',
  'start',
  'deliver',
  'report succeeded',
  'check passed',
  'look',
  'look',
];
const walks = fc
  .array(fc.tuple(fc.nat({ max: 2 }), fc.constantFrom(...ACTIONS)), { minLength: 8, maxLength: 20 })
  .map((picks) => {
    let usual = 0;
    return picks.map(([often, any]) => (often > 0 && usual < USUAL.length ? USUAL[usual++]! : any));
  });
const policies = fc.record({
  rework: fc.record({ on_gate: fc.boolean() }),
  reviewer: fc.constantFrom(null, { profile: 'codex.coding', on: 'all' }),
});

it('Builds follow the state table and stay consistent for any order of actions', async () => {
  await walk(
    ['ask', 'start', 'deliver', 'report succeeded', 'check passed', 'look', 'review fail', 'look', 'rework'],
    { rework: { on_gate: true }, reviewer: { profile: 'codex.coding', on: 'all' } },
  );
  await fc.assert(fc.asyncProperty(walks, policies, walk), {
    numRuns: isDeep ? 150 : 12,
    endOnFailure: true,
  });
}, 600_000);
