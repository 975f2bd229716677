import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { sql } from 'kysely';
import { indexQueue } from '../src/features/projects/indexing/index-queue.store.js';
import type { createProjectService } from '../src/features/projects/projects.service.js';
import { projectStore } from '../src/features/projects/repository/projects.store.js';
import { systemClock } from '../src/kernel/clock.js';
import { newId } from '../src/kernel/ids.js';
import type { Db } from '../src/platform/database/database.js';
import { GeneratedRepository, modulePath, moduleText } from './lessons-code.js';

interface World {
  db: Db;
  projects: ReturnType<typeof createProjectService>;
  repositories: string;
  print(name: string, value: string): void;
}

/** Processor seconds of this process, its git child processes, and the index run's database connections. */
interface Spent {
  threads: number;
  git: number;
  database: number;
}

const LOOK_MS = 40;
/** Watching more often would affect the measurement. */
const WATCH_MS = 4;
const TICKS_A_SECOND = 100;

/** Measures an index run over a generated repository: total, phases, and how long it blocks others. */
export async function measureIndexing(
  { db, projects, repositories, print }: World,
  { files, functions, rounds }: { files: number; functions: number; rounds: number },
): Promise<void> {
  const repository = new GeneratedRepository(join(repositories, '1/code'));
  let bytes = 0;
  for (let module = 0; module < files; module++) {
    const text = moduleText(module, files, functions);
    bytes += text.length;
    repository.write(modulePath(module), text);
  }
  repository.commit('all');
  repository.pack();
  const id = newId();
  const now = systemClock.now();
  await projectStore(db, 1).create({ id, name: 'Bench', url: repository.folder, branch: null, now });
  print('sources', `${files} files, ${(bytes / 1e6).toFixed(1)} MB`);

  const loop = watchLoop();
  await measurePass('first index (bar: 6 s)');
  const { rows } = await sql<{ nodes: number; edges: number; truncated: boolean }>`
    select nodes, edges, truncated from code_indexes where status = 'ready'`.execute(db);
  const { nodes, edges, truncated } = rows[0]!;
  print('graph', `${nodes} nodes, ${edges} edges${truncated ? ', not all of it' : ''}`);
  for (let round = 1; round <= rounds; round++) {
    const text = `${moduleText(round, files, functions)}export const added${round} = () => ${round};\n`;
    repository.write(modulePath(round), text);
    repository.commit(`one file ${round}`);
    await measurePass('one changed file (bar: 0.3 s)');
  }
  print('longest hold of the event loop (bar: 50 ms)', loop.describe());
  print(
    'peak memory of the process (bar: 500 MB)',
    `${Math.round(process.resourceUsage().maxRSS / 1000)} MB`,
  );

  async function measurePass(name: string): Promise<void> {
    await indexQueue(db).enqueue(id, systemClock.now());
    loop.begin();
    const phases = watchPhases(db);
    const startedAt = performance.now();
    const { failed } = await projects.indexer.runWanted(new AbortController().signal);
    const seconds = (performance.now() - startedAt) / 1000;
    const { spent, lines, states } = await phases.stop();
    loop.pause();
    if (failed > 0) throw new Error(`The pass failed: ${await findFault(db)}`);
    print(name, `${seconds.toFixed(2)} s; ${describeSpent(spent)}`);
    if (lines.length < 2) return;
    for (const line of lines) print('', line);
    print('', `progress: ${states} states seen`);
  }
}

async function findFault(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ error: string }>`
    select error from code_indexes where status = 'failed' order by finished_at desc limit 1`.execute(db);
  return rows[0]?.error;
}

/** Polls the progress of an index run, as a client would, and the cost of each phase. */
function watchPhases(db: Db) {
  const begun: { phase: string; at: number; spent: Spent }[] = [];
  const states = new Set<string>();
  const first = { phase: 'beginning', at: performance.now(), spent: spentBy(new Map()) };
  begun.push(first);
  /** The database processes of the index run, and their processor time when first seen. */
  const backends = new Map<number, number>();
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await sql<{ progress: { phase: string } | null; pids: number[] }>`
        select (select progress from code_indexes where status = 'running') as progress,
          array(select pid from pg_stat_activity where application_name = 'guildhall-code') as pids`.execute(
        db,
      );
      const { progress, pids } = rows[0]!;
      for (const pid of pids) if (!backends.has(pid)) backends.set(pid, ticksOf(pid).own);
      if (progress && !states.has(JSON.stringify(progress))) {
        states.add(JSON.stringify(progress));
        if (progress.phase !== begun.at(-1)!.phase)
          begun.push({ phase: progress.phase, at: performance.now(), spent: spentBy(backends) });
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  return {
    async stop(): Promise<{ spent: Spent; lines: string[]; states: number }> {
      const end = { phase: 'end', at: performance.now(), spent: spentBy(backends) };
      isOver = true;
      await watching;
      const steps = [...begun, end];
      const lines = begun.map(({ phase, at, spent }, step) => {
        const next = steps[step + 1]!;
        const used = describeSpent(difference(next.spent, spent));
        return `${phase.padEnd(10)} ${((next.at - at) / 1000).toFixed(2)} s; ${used}`;
      });
      return { spent: difference(end.spent, first.spent), lines, states: states.size };
    },
  };
}

/**
 * Measures the longest block of the event loop. On a busy machine this includes waiting for a processor, and
 * the bench itself blocks it while waiting for git.
 */
function watchLoop() {
  let [longest, longestOnProcessor] = [0, 0];
  let stop: (() => void) | undefined;
  return {
    begin(): void {
      const delays = monitorEventLoopDelay({ resolution: WATCH_MS });
      let before = ownProcessorMs();
      const timer = setInterval(() => {
        const now = ownProcessorMs();
        longestOnProcessor = Math.max(longestOnProcessor, now - before);
        before = now;
      }, WATCH_MS);
      delays.enable();
      stop = () => {
        clearInterval(timer);
        delays.disable();
        longest = Math.max(longest, delays.max / 1e6);
      };
    },
    pause: () => stop?.(),
    describe: () =>
      `${longest.toFixed(0)} ms, at most ${longestOnProcessor.toFixed(0)} ms of it on the processor`,
  };
}

/** The processor time of the main thread, or 0 if the system does not report it. */
function ownProcessorMs(): number {
  return Number(readSystem(`/proc/self/task/${process.pid}/schedstat`)?.split(' ')[0] ?? 0) / 1e6;
}

function spentBy(backends: ReadonlyMap<number, number>): Spent {
  const { user, system } = process.cpuUsage();
  const own = ticksOf('self');
  let database = 0;
  for (const [pid, before] of backends) database += ticksOf(pid).own - before;
  return {
    threads: (user + system) / 1e6,
    git: own.children / TICKS_A_SECOND,
    database: database / TICKS_A_SECOND,
  };
}

function ticksOf(pid: number | 'self'): { own: number; children: number } {
  const fields = readSystem(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
    .map(Number);
  if (!fields) return { own: 0, children: 0 };
  return { own: fields[11]! + fields[12]!, children: fields[13]! + fields[14]! };
}

function readSystem(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function difference(later: Spent, earlier: Spent): Spent {
  return {
    threads: later.threads - earlier.threads,
    git: later.git - earlier.git,
    database: later.database - earlier.database,
  };
}

const describeSpent = ({ threads, git, database }: Spent): string =>
  `processor: threads ${threads.toFixed(2)} s, git ${git.toFixed(2)} s, database ${database.toFixed(2)} s`;
