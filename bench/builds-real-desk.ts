import { execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { canIsolate, createBuildDesk, findProcesses } from '../tests/desk-builds/build-desk.js';
import type { BuildDesk } from './builds-desks.js';
import type { BenchWorld } from './row.js';

/** Prints bash's own start time before anything else. */
const SAYS_WHEN = 'echo "began $EPOCHREALTIME"';
/** One process in the foreground and one in its own session. */
const RUNS = `setsid bash -c "exec -a coder-of-$GUILDHALL_BUILD_ID sleep 1000" &
exec -a coder-of-$GUILDHALL_BUILD_ID sleep 1000`;
const PATIENCE_MS = 90_000;

async function until<T>(everyMs: number, find: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (const limit = performance.now() + PATIENCE_MS; performance.now() < limit; await wait(everyMs)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error('It did not come to that');
}

/** The floor: Node.js starting a shell that prints its start time, with no runner around it. */
export function timeBareStarts(count: number): number[] {
  const code = `require('child_process').execFileSync('bash', ['-c', 'echo $EPOCHREALTIME'], { stdio: 'inherit' })`;
  return Array.from({ length: count }, () => {
    const asked = performance.timeOrigin + performance.now();
    const began = execFileSync(process.execPath, ['-e', code], { encoding: 'utf8' }).trim().replace(',', '.');
    return Number(began) * 1000 - asked;
  });
}

/** Starts the real sidecar on this machine, with a coder that only runs a command. */
export async function openRealDesk(
  world: BenchWorld,
  { id, token }: BuildDesk,
  makeBuild: () => Promise<() => Promise<Record<string, unknown>>>,
) {
  const desk = await createBuildDesk(
    { url: world.url, pat: token },
    {
      isolation: canIsolate ? undefined : 'none',
      identity: { env_id: id, installation_id: `machine-${id}` },
    },
  );
  desk.setCoder(SAYS_WHEN);
  desk.start();

  const path = (buildId: string) => `/api/v1/factory/builds/${buildId}`;
  const ended = (buildId: string) =>
    until(100, async () => (await world.call('GET', path(buildId)))['finished_at'] ?? undefined);
  /** A desk that has just finished a build needs a moment to ask for the next one. */
  const isAsking = () => wait(500);

  return {
    async timeStarts(count: number): Promise<number[]> {
      const times: number[] = [];
      desk.setCoder(SAYS_WHEN);
      for (let n = 0; n < count; n += 1) {
        const ask = await makeBuild();
        await isAsking();
        const asked = performance.timeOrigin + performance.now();
        const buildId = String((await ask())['build_id']);
        await ended(buildId);
        const { chunks } = (await world.call('GET', `${path(buildId)}/log`)) as {
          chunks: { text: string }[];
        };
        const began = /began (\d+)[.,](\d+)/.exec(chunks.map(({ text }) => text).join(''));
        if (!began) throw new Error('The coder did not run');
        times.push(Number(`${began[1]}.${began[2]}`) * 1000 - asked);
      }
      return times;
    },

    /** With `deaf`, the coder ignores SIGTERM and has to be killed after ten seconds. */
    async timeCancels(count: number, deaf = false): Promise<number[]> {
      const times: number[] = [];
      desk.setCoder(deaf ? `trap '' TERM\n${RUNS}` : RUNS);
      for (let n = 0; n < count; n += 1) {
        await isAsking();
        const buildId = String((await (await makeBuild())())['build_id']);
        const tree = () => findProcesses(`coder-of-${buildId}`).length;
        await until(50, () => tree() >= 2 || undefined);
        const asked = performance.now();
        await world.call('POST', `${path(buildId)}/cancel`);
        await until(10, () => tree() === 0 || undefined);
        times.push(performance.now() - asked);
        await ended(buildId);
      }
      return times;
    },

    remove: desk.remove,
  };
}
