import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { sql } from 'kysely';
import type { CodeNode } from '../src/code/graph/node-table.js';
import { cacheAnchoredLessons, createLookupService } from '../src/features/lessons/near/lookup.service.js';
import { createNearService } from '../src/features/lessons/near/near.service.js';
import { type NumberedEdge, packEdges } from '../src/features/projects/indexing/code-graph.js';
import { indexStore } from '../src/features/projects/indexing/index.store.js';
import { indexQueue } from '../src/features/projects/indexing/index-queue.store.js';
import { createProjectService } from '../src/features/projects/projects.service.js';
import { projectStore } from '../src/features/projects/repository/projects.store.js';
import { systemClock } from '../src/kernel/clock.js';
import { newId } from '../src/kernel/ids.js';
import { silentLog } from '../src/kernel/log.js';
import { connectDatabase } from '../src/platform/database/connection/connection.js';
import { createSessionLocks } from '../src/platform/database/connection/session-locks.js';
import { startScratchPostgres } from '../src/platform/database/embedded/embedded-scratch.js';
import { migrate } from '../src/platform/database/schema/migrate.js';
import { Notifications } from '../src/platform/events/notifications.js';
import type { Jobs } from '../src/platform/jobs/jobs.js';
import { createSecretBox } from '../src/platform/secrets/secret-box.js';
import { ensureBuilt } from '../tests/support/build.js';
import { measureIndexing } from './lessons-index.js';
import { reportRow } from './report.js';

const help = `npm run bench -- lessons [options]

How long a first index and the index of one changed file take, what they need of the machine, and the reads over a large graph.

  --files <n>      files of the repository (6663)
  --functions <n>  in each of them (16); with 100000 files take 2: a project may have half a million symbols
  --rounds <n>     passes over one changed file (3)
  --nodes <n>      of the graph that is read (50000); 0: no reads
  --edges <n>      of it (200000)
  --lessons <n>    anchored to it (2000)
  --asks <n>       how often each question is asked (300)`;

const { values: options } = parseArgs({
  options: {
    files: { type: 'string', default: '6663' },
    functions: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '3' },
    nodes: { type: 'string', default: '50000' },
    edges: { type: 'string', default: '200000' },
    lessons: { type: 'string', default: '2000' },
    asks: { type: 'string', default: '300' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(help);
  process.exit();
}
const number = (name: Exclude<keyof typeof options, 'help'>) => Number(options[name]);

const jobs: Jobs = {
  register: () => {},
  trigger: async () => {},
  runNow: async () => undefined,
  names: () => [],
  describe: () => [],
  start: async () => {},
  stop: async () => {},
};

// Code workers run from the build, as in production; the TypeScript loader needs more time and memory.
await ensureBuilt('server');
const builtThread = new URL('../dist/src/code.worker.js', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'guildhall-bench-'));
const server = await startScratchPostgres(silentLog);
try {
  await migrate({ connection: server.connection, log: silentLog });
  const database = connectDatabase({
    connection: server.connection,
    poolSize: 10,
    applicationName: 'bench',
    log: silentLog,
  });
  const { db } = database;
  await sql`insert into brands (brand_id, name, plan, scope_ceiling, created_at) overriding system value values (1, 'Bench', 'business', '{}', ${systemClock.now()})`.execute(
    db,
  );
  const notifications = new Notifications({ connection: server.connection, log: silentLog });
  const locks = createSessionLocks({ connection: server.connection, log: silentLog });
  const outbox = { record: async () => {} };
  const deps = { db, clock: systemClock, log: silentLog, jobs, notifications, outbox };
  const projects = createProjectService({
    ...deps,
    repositoriesDir: join(folder, 'repositories'),
    mirrorsDir: join(folder, 'mirrors'),
    locks,
    secrets: createSecretBox(['bench']),
    isStillValid: async () => true,
    requireStillAdmin: async () => {},
    gitNetworks: [],
    address: { connection: server.connection },
    startCodeThread: (options) => new Worker(builtThread, { execArgv: [], ...options }),
  });
  await measureIndexing(
    { db, projects, repositories: join(folder, 'repositories'), print: reportRow },
    { files: number('files'), functions: number('functions'), rounds: number('rounds') },
  );
  if (number('nodes') > 0) await measureReads();
  await projects.close();
  await locks.close();
  await database.close();

  async function measureReads(): Promise<void> {
    const id = await makeGraph();
    const anchored = cacheAnchoredLessons(db);
    const near = createNearService({ db, log: silentLog, projects, anchored });
    const { lookUp } = createLookupService({ db, projects, anchored });
    const files = Math.floor(number('nodes') / 5);
    const pick = (round: number) => `src/f${(round * 7919) % 100}/m${(round * 104729) % files}.ts`;
    await near.findNear(1, { project_id: id, paths: [pick(1)] });
    await timed('entries:near, depth 2 (bar: p95 30 ms)', (round) =>
      near.findNear(1, { project_id: id, paths: [findPath(pick(round))], depth: 2, hub_cap: 200 }),
    );
    await timed('entries:near, depth 3, all kinds', (round) =>
      near.findNear(1, {
        project_id: id,
        paths: [findPath(pick(round))],
        depth: 3,
        kinds: ['import', 'call', 'contains'],
        hub_cap: 200,
        limit: 100,
      }),
    );
    const { rows } = await sql<{
      node_id: string;
    }>`select node_id from code_nodes where project_id = ${id} order by node_no limit 1000`.execute(db);
    const ids = rows.map((row) => row.node_id);
    await timed('anchors:lookup of 1,000 nodes (bar: 50 ms)', () =>
      lookUp(1, { project_id: id, node_ids: ids }),
    );

    function findPath(path: string): string {
      const module = Number(/m(\d+)\.ts$/.exec(path)![1]);
      return `src/f${module % 100}/m${module}.ts`;
    }
  }

  /** Inserts folders, files with four symbols each, and edges between random symbols. */
  async function makeGraph(): Promise<string> {
    const id = newId();
    const now = systemClock.now();
    await projectStore(db, 1).create({
      id,
      name: 'Graph',
      url: 'https://example.com/a.git',
      branch: null,
      now,
    });
    const nodes: CodeNode[] = [];
    const add = (kind: CodeNode['kind'], path: string, parent: number | null): number => {
      const symbol = kind === 'symbol' ? path.slice(path.indexOf('#') + 1) : null;
      nodes.push({
        no: nodes.length + 1,
        id: newId(),
        kind,
        path,
        symbol,
        parent,
        live: true,
        blob: null,
        symbolKind: null,
        body: null,
        masked: null,
        removedCommit: null,
        removedStep: null,
      });
      return nodes.length;
    };
    const root = add('folder', '/', null);
    const source = add('folder', 'src/', root);
    const folders = Array.from({ length: 100 }, (_, index) => add('folder', `src/f${index}/`, source));
    const files: number[] = [];
    for (let module = 0; nodes.length < number('nodes'); module++) {
      const path = `src/f${module % 100}/m${module}.ts`;
      const file = add('file', path, folders[module % 100]!);
      files.push(file);
      for (let symbol = 0; symbol < 4; symbol++) add('symbol', `${path}#s${symbol}`, file);
    }
    const random = seeded(7);
    const edges = new Map<number, NumberedEdge[]>();
    for (let edge = 0; edge < number('edges') - nodes.length; edge++) {
      const from = files[random(files.length)]!;
      const to = files[random(files.length)]!;
      const kind = (['import', 'symbol_import', 'call'] as const)[edge % 3]!;
      const made = {
        source: kind === 'call' ? from + 1 + random(4) : from,
        target: kind === 'import' ? to : to + 1 + random(4),
        kind,
      };
      edges.set(from, [...(edges.get(from) ?? []), made]);
    }
    const store = indexStore(db, id);
    await store.addNodes(nodes, async () => {});
    await store.saveEdges(
      [...edges].map(([file, leaving]) => [file, packEdges(leaving)]),
      [],
    );
    const index = await indexQueue(db).start(id, now);
    await indexQueue(db).complete(
      id,
      index,
      {
        commit: null,
        files: files.length,
        nodes: nodes.length,
        edges: number('edges'),
        lessons: 0,
        warnings: [],
        truncated: false,
      },
      { stepCount: 1, extractor: 1 },
      now,
    );
    await sql`
      insert into lessons (brand_id, project_id, lesson_id, path, origin, type, title, body, pinned, status, content_hash, text_hashes, created_at, updated_at)
      select 1, ${id}, 'bench/' || n, 'lessons/bench/' || n || '.md', 'pushed', 'rule', 'Lesson ' || n, repeat('Words of a lesson. ', 20), n % 50 = 0,
        'live', '', '{}', ${now}, ${now} from generate_series(1, ${number('lessons')}) as n`.execute(db);
    await sql`
      insert into lesson_anchors (lesson_no, position, brand_id, project_id, written, path, kind, node_no)
      select l.lesson_no, p, 1, ${id}, n.path, n.path, n.kind, n.node_no
      from lessons l cross join generate_series(0, 1) as p
      join code_nodes n on n.project_id = l.project_id and n.node_no = 1 + (l.lesson_no * 7919 + p * 31337) % ${nodes.length}
      where l.project_id = ${id}`.execute(db);
    reportRow(
      'graph of the reads',
      `${nodes.length} nodes, ${number('edges')} edges, ${number('lessons')} lessons`,
    );
    return id;
  }

  async function timed(name: string, ask: (round: number) => Promise<unknown>): Promise<void> {
    const times: number[] = [];
    for (let round = 0; round < number('asks'); round++) {
      const startedAt = performance.now();
      await ask(round);
      times.push(performance.now() - startedAt);
    }
    times.sort((one, other) => one - other);
    const at = (share: number) => times[Math.floor(times.length * share)]!.toFixed(1);
    reportRow(name, `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`);
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}
