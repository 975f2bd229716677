import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Furnished } from '../support/build-world.js';
import { type ProgramWorld, startProgramWorld } from '../support/program-world.js';
import { type Receiver, startReceiver, webhookCaller } from '../support/webhooks.js';
import { type Column, holdWrites } from './held-writes.js';
import {
  type BuildRun,
  createStubbornDesk,
  insist,
  PIECES,
  type Step,
  type StubbornDesk,
} from './stubborn-desk.js';

/**
 * Kills the service or its database with SIGKILL while builds are at each step, and checks how they finish.
 */

const MINUTES = 60;

interface Moment {
  /** Takes the build to the step at which the server is killed. */
  reach(run: BuildRun): Promise<void>;
  /** A person's request, repeated if it had no answer. */
  asks?: 'cancel' | 'accept';
  /** The build can continue only after some time has passed. */
  late?: true;
  /** The build never starts. */
  neverStarts?: true;
}

let world: ProgramWorld;
let room: Furnished;
let desk: StubbornDesk;
let receiver: Receiver;

beforeAll(async () => {
  world = await startProgramWorld();
  receiver = await startReceiver();
  room = await world.furnish();
  const events = ['build.queued', 'build.started', 'build.finished'];
  await webhookCaller(world, room.space).create(receiver.url, events);
  desk = createStubbornDesk(room, await room.readyDesk());
});

afterAll(async () => {
  desk?.dispose();
  await receiver?.close();
  await world?.stop();
});

describe.each(['node', 'database'] as const)('After kill -9 of the %s, a build', (victim) => {
  let held: Awaited<ReturnType<typeof holdWrites>>;
  let activity: Awaited<ReturnType<Furnished['activity']>>;
  const runs = new Map<string, BuildRun>();

  const cancel = ({ build }: BuildRun) =>
    room.call('POST', `/api/v1/factory/builds/${build.build_id}/cancel`);
  const accept = ({ build }: BuildRun) =>
    room.call('POST', `/api/v1/factory/builds/${build.build_id}/review`, { decision: 'accept' });
  const reachAndHold =
    (step: Step, column: Column): Moment['reach'] =>
    async (run) => {
      await run.reach(step);
      await held.hold(run.build.build_id, column, () => run.send(step));
    };
  const reachAndLose =
    (step: Step): Moment['reach'] =>
    async (run) => {
      await run.reach(step);
      await run.send(step);
    };

  /** Builds are queued in this order, so the ones that no desk claims come last. */
  const allMoments: Record<string, Moment> = {
    'claimed, and the order has not arrived': {
      late: true,
      async reach(run) {
        await run.send('claim');
        run.loseOrder();
      },
    },
    claimed: { reach: (run) => run.reach('start') },
    'whose start is being written': { reach: reachAndHold('start', 'started_at') },
    'whose start is not answered': { reach: reachAndLose('start') },
    'whose log is being written': { reach: reachAndHold('log 2', 'log_seq') },
    'whose log is not answered': { reach: reachAndLose('log 2') },
    'whose commits have come half': {
      async reach(run) {
        await run.reach('commits');
        await run.sendHalfOfCommits(world.address());
      },
    },
    'whose commits are being written': { reach: reachAndHold('commits', 'head_sha') },
    'whose commits are not answered': { reach: reachAndLose('commits') },
    'whose finish is being written': { reach: reachAndHold('finish', 'finish_digest') },
    'whose finish is not answered': { reach: reachAndLose('finish') },
    'that runs, whose cancel is being written': {
      asks: 'cancel',
      async reach(run) {
        await run.reach('log 2');
        await held.hold(run.build.build_id, 'cancel_requested_at', () => cancel(run));
      },
    },
    'that runs, whose cancel is not answered': {
      asks: 'cancel',
      async reach(run) {
        await run.reach('log 2');
        await cancel(run);
      },
    },
    'that runs, whose desk was told of the cancel': {
      asks: 'cancel',
      async reach(run) {
        await run.reach('log 2');
        await cancel(run);
        if (!(await run.isDemoAttempt())) throw new Error('Not told');
      },
    },
    'that is accepted, as it is being written': {
      asks: 'accept',
      async reach(run) {
        await run.reach('the end');
        await held.hold(run.build.build_id, 'accepted_at', () => accept(run));
      },
    },
    'that is pushed, as it is being written': {
      asks: 'accept',
      late: true,
      async reach(run) {
        await run.reach('the end');
        await held.hold(run.build.build_id, 'pushed_at', () => accept(run));
      },
    },
    // Waits in the queue behind the previous push, which is held.
    'that is accepted, and not pushed yet': {
      asks: 'accept',
      async reach(run) {
        await run.reach('the end');
        await accept(run);
      },
    },
    'whose claim is being written': { reach: reachAndHold('claim', 'claimed_at') },
    'that waits, whose cancel is being written': {
      asks: 'cancel',
      neverStarts: true,
      reach: (run) => held.hold(run.build.build_id, 'cancel_requested_at', () => cancel(run)),
    },
    queued: { reach: async () => {} },
  };
  const moments = Object.entries(allMoments);

  async function goOn(run: BuildRun, { asks, neverStarts }: Moment): Promise<void> {
    if (asks === 'cancel') {
      await insist(async () => expect([202, 409]).toContain((await cancel(run)).status));
      if (neverStarts) return;
      await insist(async () => expect(await run.isDemoAttempt()).toBe(true));
      return insist(() => run.finish({ outcome: 'canceled' }));
    }
    await insist(() => run.reach('the end'));
    if (asks === 'accept') await insist(async () => expect((await accept(run)).status).toBe(200));
  }

  const goOnWith = (late: boolean) =>
    Promise.all(
      moments
        .filter(([, moment]) => Boolean(moment.late) === late)
        .map(([name, moment]) => goOn(runs.get(name)!, moment)),
    );

  beforeAll(async () => {
    held = await holdWrites(world.connection);
    for (const [name, { reach }] of moments) {
      // A busy machine makes the service answer 503.
      const card = await insist(() => room.card());
      const run = desk.take(await insist(() => room.build(card.id)));
      runs.set(name, run);
      await reach(run);
    }
    await (victim === 'node' ? world.restartNode() : world.restartDatabase());
    // The database server survives the kill of a node, so held transactions continue until it notices.
    const going = goOnWith(false);
    await held.release();
    await going;
    await insist(() => world.advance(3 * MINUTES));
    await world.poll();
    await goOnWith(true);
    await world.runJob('build-push');
    activity = await room.activity();
  });

  const readLog = async ({ build }: BuildRun) =>
    (
      await room.call<{ chunks: { seq: number; text: string }[]; finished: boolean }>(
        'GET',
        `/api/v1/factory/builds/${build.build_id}/log`,
      )
    ).body;

  const messagesAbout = ({ build }: BuildRun) =>
    receiver.received.filter(({ message }) => message.data['build_id'] === build.build_id);

  /** The event types that were sent, once per message id, because a message may be delivered again. */
  const toldOf = (run: BuildRun) =>
    [...new Set(messagesAbout(run).map(({ headers, message }) => `${message.type} ${headers['webhook-id']}`))]
      .map((told) => told.split(' ')[0])
      .sort();

  describe.each(moments)('%s', (name, { asks, neverStarts }) => {
    const run = () => runs.get(name)!;

    it('finishes with the expected status', async () => {
      const status = asks === 'cancel' ? 'canceled' : 'succeeded';
      const head = asks === 'cancel' ? null : desk.head;
      expect(await room.get(run().build.build_id)).toMatchObject({ status, head_sha: head, attempt: 1 });
    });

    it('runs only once', () => {
      expect(run().startedUnder.size).toBe(neverStarts ? 0 : 1);
    });

    it('keeps a complete log without duplicates', async () => {
      const pieces = neverStarts ? [] : asks === 'cancel' ? PIECES.slice(0, 1) : PIECES;
      expect(await readLog(run())).toMatchObject({
        chunks: pieces.map((text, index) => ({ seq: index + 1, text })),
        finished: true,
      });
    });

    it('writes one card activity entry per status change and decision', () => {
      const entries = activity.filter(
        ({ task_id, action }) => task_id === run().build.task_id && action !== 'task.created',
      );
      const to = <T>(change: unknown) => (change as { to: T } | undefined)?.to;
      const statuses = entries.flatMap(({ changes }) => to<string>(changes['status']) ?? []);
      const last = asks === 'cancel' ? ['pending'] : ['in_review', ...(asks === 'accept' ? ['done'] : [])];
      expect(statuses.reverse()).toEqual(neverStarts ? [] : ['in_progress', ...last]);
      const decided = entries.flatMap(({ changes }) => to<{ event: string }>(changes['build'])?.event ?? []);
      expect(decided.length).toBe(new Set(decided).size);
      expect(decided.includes('build.accepted')).toBe(asks === 'accept');
    });

    it('sends each event under one id', async () => {
      const events = ['build.finished', 'build.queued', ...(neverStarts ? [] : ['build.started'])];
      await expect.poll(() => toldOf(run()), { timeout: 120_000 }).toEqual(events);
    });

    if (asks === 'accept')
      it('pushes the branch of the build', async () => {
        const pushed = async () => (await room.get(run().build.build_id)).pushed_at !== null;
        await expect.poll(pushed, { timeout: 120_000 }).toBe(true);
        expect(room.repository.git('rev-parse', `refs/heads/${run().build.branch}`)).toBe(desk.head);
      });
  });
});
