import { readdir } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findDatabaseUrl } from './database.js';
import { measureRow, type RowResult } from './measure.js';
import { ask, forkProgram, nextMessage, readMemory, runBench, startService } from './processes.js';
import { formatTable } from './report.js';
import type { BenchRow } from './row.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- endpoints [options]

Measures the built service against a bare Fastify server that runs the same SQL on the same database.
A read has to reach 0.8 of its floor's throughput, a write 0.6. A tool of agents stands beside the plain request instead.
Uses a fresh embedded database, or the one DATABASE_URL names (a workspace "Bench" is added to it).

  --only <text>         rows whose name contains the text (repeatable)
  --seconds <n>         length of one round per side (1)
  --rounds <n>          rounds per side, alternating (5)
  --connections <n>     concurrent connections (32)
  --min-ratio <n>       exit code 1 when any row reaches less than n of its floor's throughput`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    'min-ratio': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

function readNumber(name: 'seconds' | 'rounds' | 'connections'): number {
  const value = Number(options[name]);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  return value;
}

async function loadRows(): Promise<BenchRow[]> {
  const folder = new URL('./rows/', import.meta.url);
  const names = (await readdir(folder)).filter((name) => name.endsWith('.ts')).sort();
  const modules = await Promise.all(
    names.map(async (name) => (await import(new URL(name, folder).href)) as { rows: BenchRow[] }),
  );
  const rows = modules.flatMap((module) => module.rows);
  const wanted = options.only;
  return wanted ? rows.filter((row) => wanted.some((text) => row.name.includes(text))) : rows;
}

type Measured = Exclude<RowResult, { skipped: string }>;

const BARS = { read: 0.8, write: 0.6, tool: 0 };

const verdictOf = (result: RowResult): string => {
  if ('skipped' in result || BARS[result.kind] === 0) return '';
  return result.ratio >= BARS[result.kind] ? 'met' : 'NOT MET';
};

const heads = [
  'row',
  'kind',
  'req/s',
  'p50 ms',
  'p99 ms',
  'floor req/s',
  'p50 ms',
  'p99 ms',
  'of floor',
  'bar',
  '',
];

function cells(result: Measured): string[] {
  const { name, kind, ours, floor, ratio, failures } = result;
  return [
    name,
    kind,
    ours.requestsPerSecond.toFixed(0),
    ours.p50.toFixed(2),
    ours.p99.toFixed(2),
    floor.requestsPerSecond.toFixed(0),
    floor.p50.toFixed(2),
    floor.p99.toFixed(2),
    failures > 0 ? `${ratio.toFixed(2)} (${failures} FAILED)` : ratio.toFixed(2),
    BARS[kind] > 0 ? String(BARS[kind]) : '',
    verdictOf(result),
  ];
}

async function bench(dataDir: string): Promise<void> {
  const rows = await loadRows();
  if (rows.length === 0) throw new Error(`No row matches ${options.only?.join(', ')}`);
  const pace = {
    seconds: readNumber('seconds'),
    rounds: readNumber('rounds'),
    connections: readNumber('connections'),
  };
  const loadBefore = loadavg()[0] ?? 0;
  const began = performance.now();
  const service = await startService(dataDir, { LOG_LEVEL: 'info' });
  const startSeconds = (performance.now() - began) / 1000;
  await wait(2000);
  const idleMemory = readMemory(service.pid);

  const databaseUrl = await findDatabaseUrl(dataDir);
  const floor = forkProgram('./floor.ts', databaseUrl ? { FLOOR_DATABASE_URL: databaseUrl } : {});
  const { url: floorUrl } = await nextMessage<{ url: string }>(floor);
  const load = forkProgram('./load.ts');
  const world = await makeWorld(service.url, service.adminKey, databaseUrl);

  const results: RowResult[] = [];
  for (const row of rows) {
    const result = await measureRow({
      row,
      world,
      floorUrl,
      pace,
      ask: { floor: (order) => ask(floor, order), load: (order) => ask(load, order) },
    });
    console.log('skipped' in result ? `${row.name}: SKIPPED, ${result.skipped}` : `${row.name}: measured`);
    results.push(result);
  }

  const loadAfter = loadavg()[0] ?? 0;
  const below = results.filter((result) => verdictOf(result) === 'NOT MET').map(({ name }) => name);
  const skipped = results.flatMap((result) =>
    'skipped' in result ? [`${result.name}: SKIPPED, ${result.skipped}`] : [],
  );
  formatTable({
    heads,
    rows: results.flatMap((result) => ('skipped' in result ? [] : [cells(result)])),
    notes: [
      below.length > 0
        ? `below the bar: ${below.join(', ')}`
        : `all of ${results.length - skipped.length} reach their bar`,
      ...skipped,
      `ready after ${startSeconds.toFixed(1)} s (with the build, when it was stale)`,
      `idle memory ${idleMemory.toFixed(0)} MiB, after the load ${readMemory(service.pid).toFixed(0)} MiB`,
      `load ${loadBefore.toFixed(1)} before and ${loadAfter.toFixed(1)} after; ${pace.rounds} rounds of ${pace.seconds} s, ${pace.connections} connections`,
    ],
  });
  if (loadBefore > availableParallelism() / 2)
    console.log('The machine was busy: trust the ratio, not the numbers.');
  const limit = Number(options['min-ratio'] ?? 0);
  const isGood = (result: RowResult) =>
    'skipped' in result || (result.failures === 0 && result.ratio >= limit);
  if (!results.every(isGood)) process.exitCode = 1;
}

await runBench(options.help ? help : undefined, bench);
