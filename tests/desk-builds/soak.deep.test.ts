import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuildView } from '../../src/features/builds/builds.schemas.js';
import type { Furnished } from '../support/build-world.js';
import { type ProgramWorld, startProgramWorld } from '../support/program-world.js';
import { type BuildDesk, canIsolate, createBuildDesk } from './build-desk.js';
import { type CuttableLine, startCuttableLine } from './cuttable-line.js';
import { insist } from './stubborn-desk.js';

/** Runs the real sidecar and service while parts are killed at random. `BUILDS_SOAK=200` runs longer. */

const BUILDS = Number(process.env['BUILDS_SOAK'] ?? 6);
const SLOTS = 3;
const LONG = 180_000;
const LINES = 20;
const SEED = Number(process.env['BUILDS_SOAK_SEED'] ?? 7);
const FINAL = ['succeeded', 'failed', 'canceled', 'timed_out', 'lost'];

let world: ProgramWorld;
let home: Furnished;
let line: CuttableLine;
let desk: BuildDesk;

beforeAll(async () => {
  world = await startProgramWorld();
  home = await world.furnish({ plan: 'enterprise' });
  line = await startCuttableLine(world.address);
  const { id, pat } = await home.readyDesk();
  desk = await createBuildDesk(
    { url: line.url, pat },
    {
      slots: SLOTS,
      isolation: canIsolate ? undefined : 'none',
      identity: { env_id: id, installation_id: `machine-${id}` },
    },
  );
  desk.setCoder(
    `for i in $(seq 1 ${LINES}); do echo "line $i"; sleep 0.05; done; echo "$GUILDHALL_BUILD_ID" > built.txt`,
  );
}, LONG);
afterAll(async () => {
  await desk?.remove();
  await line?.stop();
  await world?.stop();
}, LONG);

/** Returns the same failures for the same seed. */
function createDice(seed: number) {
  let state = seed;
  return (sides: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

const listBuilds = async (): Promise<BuildView[]> => {
  const builds: BuildView[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await home.call<{ builds: BuildView[]; next_cursor: string | null }>(
      'GET',
      `/api/v1/factory/builds?limit=200${cursor}`,
    );
    builds.push(...body.builds);
    if (body.next_cursor === null) return builds;
    cursor = `&cursor=${body.next_cursor}`;
  }
};

async function readLog(buildId: string): Promise<string> {
  let text = '';
  for (let after = 0, finished = false; !finished; ) {
    const { body } = await home.call<{ chunks: { text: string }[]; next: number; finished: boolean }>(
      'GET',
      `/api/v1/factory/builds/${buildId}/log?after=${after}&limit=1000`,
    );
    text += body.chunks.map((chunk) => chunk.text).join('');
    ({ next: after, finished } = body);
  }
  return text;
}

const VICTIMS = [
  'line',
  'line',
  'line',
  'database',
  'node',
  'node',
  'sidecar',
  'sidecar',
  'runner',
  'runner',
];
const struckDown: Record<string, number> = {};

/** Kills a connection, sidecar, node, database or runner. Returns the build of a killed runner. */
async function strike(dice: (sides: number) => number, running: string[]): Promise<string | undefined> {
  const victim = VICTIMS[dice(VICTIMS.length)]!;
  struckDown[victim] = (struckDown[victim] ?? 0) + 1;
  if (victim === 'line') line.cut();
  else if (victim === 'database') await world.restartDatabase();
  else if (victim === 'node') await world.restartNode();
  else if (victim === 'sidecar') {
    await desk.kill();
    await wait(dice(300));
    desk.start();
  } else {
    const buildId = running[dice(running.length || 1)];
    const pid = buildId && desk.runnerPid(buildId);
    if (!pid) return undefined;
    try {
      process.kill(pid, 'SIGKILL');
      return buildId;
    } catch {
      // The process had already exited.
    }
  }
  return undefined;
}

/** Runs the service's jobs, and advances the clock by a minute after a desk went down with a claim. */
async function keepGoing(idleRounds: number): Promise<void> {
  if (idleRounds > 0 && idleRounds % 20 === 0) await world.advance(61);
  await insist(() => world.poll());
  await insist(() => world.runJob('build-pass'));
}

async function driveToTheEnd(struck: Set<string>): Promise<BuildView[]> {
  const dice = createDice(SEED);
  let strikes = BUILDS * 2;
  let [idleRounds, seen] = [0, ''];
  while (true) {
    const builds = await insist(listBuilds);
    if (builds.every(({ status }) => FINAL.includes(status))) return builds;
    const now = builds.map(({ status, log_bytes }) => `${status} ${log_bytes}`).join();
    idleRounds = now === seen ? idleRounds + 1 : 0;
    seen = now;
    if (strikes > 0 && idleRounds < 5) {
      strikes -= 1;
      const running = builds.filter(({ status }) => status === 'running').map(({ build_id }) => build_id);
      const buildId = await strike(dice, running);
      if (buildId) struck.add(buildId);
    }
    await keepGoing(idleRounds);
    await wait(100 + dice(300));
  }
}

describe('Builds while connection, sidecar, runner, node and database are killed at random', () => {
  it(
    'finishes all builds with a complete log without duplicates',
    async () => {
      for (let n = 0; n < BUILDS; n += 1) await home.build((await home.card()).id);
      const struck = new Set<string>();
      desk.start();
      const builds = await driveToTheEnd(struck);
      if (process.env['BUILDS_SOAK']) console.info(builds.length, 'builds;', struckDown, 'killed');
      expect(builds).toHaveLength(BUILDS);
      for (const { build_id, status, reason, head_sha, attempt } of builds) {
        const log = await readLog(build_id);
        const numbers = [...log.matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number));
        expect(numbers, build_id).toEqual(numbers.map((_, index) => index + 1));
        expect(attempt).toBe(1);
        if (struck.has(build_id) && status === 'failed') continue;
        expect([status, reason, numbers.length], build_id).toEqual(['succeeded', null, LINES]);
        expect(head_sha, build_id).not.toBeNull();
      }
    },
    60_000 + BUILDS * 10_000,
  );
});
