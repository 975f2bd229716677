import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { boardWrites } from './bulk/board-writes.js';
import type { BulkWrite } from './bulk/ground.js';
import { makeNeighbour, type Neighbour } from './bulk/neighbour.js';
import { otherWrites } from './bulk/other-writes.js';
import { processorTime } from './bulk/processor-time.js';
import { retentionWrites } from './bulk/retention-writes.js';
import { findDatabaseUrl } from './database.js';
import { percentile } from './overload/probes.js';
import { runBench, type Service, startService } from './processes.js';
import { formatTable } from './report.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- bulk [options]

Every write that touches many rows, with so many rows and with four times as many: it may take five times the processor time, of the
service and the database. Meanwhile another workspace reads and writes, and its p99 may be five times what it is when nothing else
happens. The database is in the state that is worst for plans: all of them were made for a few rows, and its statistics are those of
tables that are nearly empty.

  --only <text>   writes whose name contains the text (repeatable)
  --scale <n>     so many times fewer rows (1)
  --times <n>     how often each is measured; the least counts (1)`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    scale: { type: 'string', default: '1' },
    times: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
});

const MORE = 4;
const MOST_GROWTH = 5;
const MOST_WAIT = 5;
/** Times below this say more about the measurement than about the rows. */
const LEAST_MS = 30;
const MOST_TIMES = 3;
const FEW_ROWS = 2;
/** A pause before each write, so that idle latencies cover the whole run. */
const IDLE_MS = 1000;
const REFUSED_MS = 3000;

interface Bench {
  service: Service;
  client: pg.Client;
  repositories: string;
  neighbour: Neighbour;
  /** The service's processes, of which all others are descendants. */
  roots: number[];
}

async function prepareWrite({ service, client, repositories }: Bench, write: BulkWrite, rows: number) {
  // On a busy machine the service may still refuse requests after the previous run.
  const world = await makeWorld(service.url, service.adminKey).catch(async () => {
    await pause(REFUSED_MS);
    return makeWorld(service.url, service.adminKey);
  });
  return write.prepare({ world, client, repositories }, rows);
}

/** Returns the processor time of the write in milliseconds, without other load. */
async function measureAlone(bench: Bench, write: BulkWrite, rows: number): Promise<number> {
  const work = await prepareWrite(bench, write, rows);
  const before = processorTime(bench.roots);
  await work();
  return processorTime(bench.roots) - before;
}

interface Measured {
  write: BulkWrite;
  rows: number;
  /** Processor time in milliseconds, without other load. */
  few: number;
  many: number;
  /** Elapsed time while the other workspace is active. */
  besideMs: number;
  /** Latencies of the other workspace's requests. */
  waits: number[];
  refused: number;
}

/** Also appends the other workspace's idle latencies to `idle`. */
async function measureWrite(bench: Bench, write: BulkWrite, idle: number[]): Promise<Measured> {
  const { neighbour } = bench;
  const rows = Math.max(FEW_ROWS, Math.round(write.rows / Number(options.scale)));
  const never = Number.POSITIVE_INFINITY;
  const measured: Measured = { write, rows, few: never, many: never, besideMs: never, waits: [], refused: 0 };
  try {
    // Results over the limit are measured again, because the machine may have been busy.
    for (
      let time = 0;
      time < (growthOf(measured) <= MOST_GROWTH ? Number(options.times) : MOST_TIMES);
      time += 1
    ) {
      measured.few = Math.min(measured.few, await measureAlone(bench, write, rows));
      measured.many = Math.min(measured.many, await measureAlone(bench, write, rows * MORE));
    }
    const work = await prepareWrite(bench, write, rows * MORE);
    idle.push(...(await neighbour.during(() => pause(IDLE_MS))).probe.times);
    const { ms, probe } = await neighbour.during(work);
    Object.assign(measured, { besideMs: ms, waits: probe.times, refused: probe.refused });
  } catch (error) {
    console.log((error as Error).message);
    measured.many = never;
  }
  const { few, many, besideMs, waits } = measured;
  const told = `${few.toFixed(0)} ms, ${many.toFixed(0)} ms; beside others ${(besideMs / 1000).toFixed(1)} s`;
  console.log(`${write.name.padEnd(40)} ${told}, who wait ${percentile(waits, 0.99).toFixed(0)} ms`);
  return measured;
}

const growthOf = ({ few, many }: Pick<Measured, 'few' | 'many'>) => many / Math.max(few, LEAST_MS);

function judge({ write, rows, few, many, besideMs, waits, refused }: Measured, idle: number): string[] {
  const growth = growthOf({ few, many });
  const p99 = percentile(waits, 0.99);
  return [
    write.name,
    String(rows),
    few.toFixed(0),
    many.toFixed(0),
    (besideMs / 1000).toFixed(1),
    growth.toFixed(1),
    growth <= MOST_GROWTH ? 'kept' : 'MISSED',
    p99.toFixed(0),
    (p99 / idle).toFixed(1),
    p99 <= MOST_WAIT * idle && refused === 0 ? 'kept' : 'MISSED',
  ];
}

async function measure(dataDir: string): Promise<void> {
  const writes = [...boardWrites, ...otherWrites, ...retentionWrites].filter(
    ({ name }) => options.only?.some((text) => name.includes(text)) ?? true,
  );
  if (writes.length === 0) throw new Error(`No write matches ${options.only?.join(', ')}`);
  const service = await startService(dataDir, { EMBEDDER: 'none' });
  const client = new pg.Client({ connectionString: await findDatabaseUrl(dataDir) });
  // When something fails, the service stops its database before this connection is closed.
  client.on('error', () => {});
  await client.connect();
  try {
    const neighbour = await makeNeighbour(await makeWorld(service.url, service.adminKey));
    await client.query('alter system set autovacuum = off');
    await client.query('select pg_reload_conf()');
    await client.query('set synchronous_commit = off');
    const { rows: settings } = await client.query('show data_directory');
    const postmaster = Number(
      readFileSync(join(settings[0].data_directory, 'postmaster.pid'), 'utf8').split('\n')[0],
    );
    const roots = [service.pid, postmaster];
    const bench = { service, client, repositories: join(dataDir, 'repositories'), neighbour, roots };
    for (const write of writes) await measureAlone(bench, write, FEW_ROWS);
    await client.query('analyze');
    const idle: number[] = [];
    const measured: Measured[] = [];
    for (const write of writes) measured.push(await measureWrite(bench, write, idle));
    const idleP99 = percentile(idle, 0.99);
    const rows = measured.map((each) => judge(each, idleP99));
    const missed = rows.filter((row) => row.includes('MISSED')).map(([name]) => name);
    if (missed.length > 0) process.exitCode = 1;
    formatTable({
      heads: [
        'write',
        'n',
        'n, CPU ms',
        '4 n, CPU ms',
        '4 n, s',
        'growth',
        `at most ${MOST_GROWTH}`,
        'p99 of others, ms',
        'of idle',
        `at most ${MOST_WAIT}`,
      ],
      rows,
      notes: [
        `p99 of another workspace between the writes: ${idleP99.toFixed(1)} ms`,
        missed.length > 0 ? `above a bar: ${missed.join('; ')}` : `all of ${rows.length} keep both bars`,
      ],
    });
  } finally {
    await client.end();
  }
}

await runBench(options.help ? help : undefined, measure);
