import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type BuildDesk, openDesks } from './builds-desks.js';
import { makeCard, makeProject } from './builds-project.js';
import { findDatabaseUrl } from './database.js';
import { runBench, startService } from './processes.js';
import type { BenchWorld } from './row.js';
import { describeTimes } from './times.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- gates-money [options]

Many builds at once spend what a metered stub counts, on two nodes. What is spent stays within the budget and one report a build,
and the ledger equals the stub's bill.

  --builds <n>     builds that spend at once (200)
  --budget <usd>   what the workspace may spend a day (80)
  --build <usd>    what a build may spend (0.5)
  --step <usd>     what a build spends between two reports, at most (0.05)
  --pause <ms>     between two reports of a build (1000)`;

const { values: options } = parseArgs({
  options: {
    builds: { type: 'string', default: '200' },
    budget: { type: 'string', default: '80' },
    build: { type: 'string', default: '0.5' },
    step: { type: 'string', default: '0.05' },
    pause: { type: 'string', default: '1000' },
    help: { type: 'boolean', default: false },
  },
});

const SLOTS = 50;
const BUILDS = Number(options.builds);
const BUDGET = Number(options.budget) * 1e6;
const STEP = Number(options.step) * 1e6;
const BUILD = Number(options.build) * 1e6;

interface Order {
  kind: string;
  build_id: string;
  claim: string;
}

function speakTo(url: string, { token }: BuildDesk) {
  return async (path: string, claim: string, body: object): Promise<{ orders: Order[] }> => {
    const ask = () =>
      fetch(`${url}/api/v1/desk/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'x-guildhall-claim': claim,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
    let answer = await ask();
    // Retries temporary refusals, as a desk does.
    for (; answer.status === 503 || answer.status === 429; answer = await ask()) {
      await answer.text();
      await wait(200 + Math.random() * 300);
    }
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as { orders: Order[] };
  };
}

type Say = ReturnType<typeof speakTo>;

/** The cost that the provider has charged, even if the report of it never arrived. */
const bill = new Map<string, number>();
const times: number[] = [];
const stopped = new Set<string>();
const faults: string[] = [];

async function spend(say: Say, { build_id, claim }: Order): Promise<'stopped' | 'done'> {
  await say(`builds/${build_id}/start`, claim, {});
  // Some builds need less than their budget, and some more.
  const wants = BUILD * (0.5 + Math.random());
  for (let spent = 0; ; await wait(Number(options.pause) * (0.5 + Math.random()))) {
    spent += Math.ceil(Math.random() * STEP);
    bill.set(build_id, spent);
    const usage = { tokens_in: spent, tokens_out: 0, cost_usd: spent / 1e6 };
    const began = performance.now();
    await say(`builds/${build_id}/usage`, claim, usage);
    times.push(performance.now() - began);
    const isStopped = stopped.has(build_id);
    if (!isStopped && spent < wants) continue;
    await say(`builds/${build_id}/finish`, claim, { outcome: isStopped ? 'failed' : 'succeeded', usage });
    return isStopped ? 'stopped' : 'done';
  }
}

/** Takes and runs orders, and keeps asking so that it also learns of builds to stop. */
async function work(say: Say, over: AbortSignal, ends: string[]): Promise<void> {
  const running = new Map<string, Promise<void>>();
  while (!over.aborted || running.size > 0) {
    const nonce = randomBytes(16).toString('hex');
    const slots = over.aborted ? 0 : SLOTS - running.size;
    const asked = { nonce, slots, running: [...running.keys()], wait_seconds: 1 };
    const { orders } = await say('work', '', asked);
    for (const order of orders) {
      if (order.kind === 'stop') stopped.add(order.build_id);
      if (order.kind !== 'start') continue;
      const run = spend(say, order).then(
        (end) => void ends.push(end),
        (error: Error) => void faults.push(error.message),
      );
      running.set(
        order.build_id,
        run.finally(() => void running.delete(order.build_id)),
      );
    }
    await wait(100);
  }
}

const TALLY = `select spent_micros::float8 as spent, reserved_micros::float8 as reserved from spend_tallies
  where brand_id = $1 and scope = 'workspace' and length(period) = 10 order by period desc limit 1`;
const SUMS = `select (select coalesce(sum(cost_micros), 0)::float8 from spend_entries where brand_id = $1) as ledger,
  (select coalesce(sum(round(cost_usd::numeric * 1000000)), 0)::float8 from builds where brand_id = $1) as builds,
  (select count(*)::int from budget_holds where brand_id = $1) as holds`;

async function watchBudget(database: pg.Client, world: BenchWorld, over: AbortSignal) {
  let highest = 0;
  while (!over.aborted) {
    const { rows } = await database.query(TALLY, [world.brandId]);
    if (rows[0]) highest = Math.max(highest, rows[0].spent + rows[0].reserved);
    await wait(20);
  }
  return highest;
}

const usd = (micros: number): string => `${(micros / 1e6).toFixed(6)} USD`;

async function measure(dataDir: string): Promise<void> {
  const env = { EMBEDDER: 'none', SECRETS_KEY: randomBytes(24).toString('hex') };
  const first = await startService(dataDir, env);
  const databaseUrl = (await findDatabaseUrl(dataDir))!;
  const second = await startService(dataDir, { ...env, DATABASE_URL: databaseUrl });
  const world = await makeWorld(first.url, first.adminKey);
  const database = new pg.Client({ connectionString: databaseUrl });
  // When something fails, the service stops its database before this connection is closed.
  database.on('error', () => {});
  await database.connect();
  await database.query(`update brands set plan = 'enterprise' where brand_id = $1`, [world.brandId]);
  const made = await makeProject(world, dataDir);
  await world.call('PUT', '/api/v1/factory/builds/policy', {
    budget: { day_usd: BUDGET / 1e6, build_usd: BUILD / 1e6 },
  });
  const desks = await openDesks(database, world, Math.max(2, Math.ceil(BUILDS / SLOTS)));
  for (let n = 0; n < BUILDS; n += 1)
    await world.call('POST', `/api/v1/board/tasks/${await makeCard(world, made)}/builds`, {});

  const over = new AbortController();
  const ends: string[] = [];
  const watching = watchBudget(database, world, over.signal);
  const working = desks.map((desk, n) =>
    work(speakTo(n % 2 === 0 ? first.url : second.url, desk), over.signal, ends),
  );
  // Finished when all builds have finished, or when no more finish because the rest wait for budget.
  for (
    let before = -1, same = 0;
    same < 15 && ends.length < BUILDS && faults.length === 0;
    await wait(1000)
  ) {
    same = ends.length === before && bill.size === ends.length ? same + 1 : 0;
    before = ends.length;
  }
  over.abort();
  await Promise.all(working);
  const highest = await watching;

  const owed = [...bill.values()].reduce((sum, each) => sum + each, 0);
  const { rows } = await database.query(SUMS, [world.brandId]);
  const { ledger, builds, holds } = rows[0] as { ledger: number; builds: number; holds: number };
  const beyond = bill.size * STEP;
  console.log(`a report of usage                          ${describeTimes(times)}; ${times.length} reports`);
  console.log(
    `builds that spent, were stopped, waited    ${bill.size}, ${stopped.size}, ${BUILDS - bill.size}`,
  );
  console.log(`spent and set aside, at most               ${usd(highest)} of ${usd(BUDGET)}`);
  console.log(`the stub's bill, the ledger, the builds    ${usd(owed)}, ${usd(ledger)}, ${usd(builds)}`);
  if (faults.length > 0) throw new Error(faults[0]);
  if (highest > BUDGET + beyond) throw new Error('More was spent than the budget and one report a build');
  if (ledger !== owed || builds !== owed) throw new Error("The ledger is not the stub's bill");
  if (holds > 0) throw new Error('Something is set aside for builds that have ended');
  await database.end();
}

await runBench(options.help ? help : undefined, measure);
