import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import type { BuildView } from '../../src/features/builds/builds.schemas.js';
import { until } from '../desk-end-to-end/real-desk.js';
import type { FakeDesk, Furnished } from '../support/build-world.js';
import { ScratchRepository } from '../support/scratch-repository.js';

export const PIECES = ['one\n', 'two\n', 'three\n'];
const STEPS = ['claim', 'start', 'log 1', 'log 2', 'log 3', 'commits', 'finish'] as const;
export type Step = (typeof STEPS)[number];

/** A desk that does the same work for every build, and repeats each step until it is answered. */
export function createStubbornDesk(room: Furnished, desk: FakeDesk) {
  const orders = new Map<string, string>();
  const checkout = new ScratchRepository();
  checkout.git('fetch', '--quiet', room.repository.folder, 'main');
  checkout.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
  const head = checkout.save({ 'src/main.ts': 'export const answer = 43;\n' });

  function bundle({ branch, base_sha }: BuildView): Buffer {
    const file = join(checkout.folder, '.git', 'out.bundle');
    checkout.git('branch', '--force', branch, head);
    checkout.git('bundle', 'create', '--quiet', file, `${base_sha}..${branch}`);
    return readFileSync(file);
  }

  function take(build: BuildView) {
    const { build_id: buildId } = build;
    const startedUnder = new Set<string>();
    let acknowledged = 0;
    const claim = () => orders.get(buildId)!;
    const say = async (answer: Promise<{ status: number; body: unknown }>) => {
      const { status, body } = await answer;
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    };
    const commits = {
      path: `builds/${buildId}/commits`,
      headers: { 'content-type': 'application/x-git-bundle' },
    };
    const sendPiece = (seq: number) => say(room.log(desk, buildId, claim(), seq, PIECES[seq - 1]!));
    const send: Record<Step, () => Promise<void>> = {
      async claim() {
        // An order that is currently locked is returned by a later request.
        await until(async () => {
          for (const order of await room.work(desk))
            if (order.kind === 'start') orders.set(order.build_id, order.claim);
          return orders.has(buildId);
        });
      },
      async start() {
        await say(room.start(desk, buildId, claim()));
        startedUnder.add(claim());
      },
      'log 1': () => sendPiece(1),
      'log 2': () => sendPiece(2),
      'log 3': () => sendPiece(3),
      commits: () =>
        say(room.say(desk, 'PUT', commits.path, { ...commits, claim: claim(), payload: bundle(build) })),
      finish: () => run.finish({ outcome: 'succeeded', result: 'Did it' }),
    };

    const run = {
      build,
      startedUnder,
      claim,
      /** Sends the step and ignores the answer, as if it had been lost. */
      send: (step: Step): Promise<void> => send[step](),
      /** Forgets the order, as if it had been lost. */
      loseOrder: () => orders.delete(buildId),
      finish: (body: object) => say(room.finish(desk, buildId, claim(), body)),
      isDemoAttempt: async () =>
        (await room.work(desk, { slots: 0, running: [buildId] })).some(
          ({ kind, build_id }) => kind === 'cancel' && build_id === buildId,
        ),

      /** Completes all steps before the given one. */
      async reach(step: Step | 'the end'): Promise<void> {
        const last = step === 'the end' ? STEPS.length : STEPS.indexOf(step);
        for (; acknowledged < last; acknowledged += 1) await send[STEPS[acknowledged]!]();
      },

      async sendHalfOfCommits(address: string): Promise<void> {
        const bytes = bundle(build);
        const call = request(`${address}/api/v1/desk/${commits.path}`, {
          method: 'PUT',
          headers: {
            authorization: `Bearer ${desk.pat}`,
            'x-guildhall-claim': claim(),
            'content-length': bytes.length,
            ...commits.headers,
          },
        });
        call.on('error', () => {});
        await new Promise<unknown>((resolve) => call.write(bytes.subarray(0, bytes.length / 2), resolve));
      },
    };
    return run;
  }

  return { head, take, dispose: () => checkout.dispose() };
}

export type StubbornDesk = ReturnType<typeof createStubbornDesk>;
export type BuildRun = ReturnType<StubbornDesk['take']>;

/** Repeats a call that fails while a server is down. */
export async function insist<T>(call: () => Promise<T>): Promise<T> {
  for (const until = performance.now() + 240_000; ; )
    try {
      return await call();
    } catch (error) {
      if (performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}
