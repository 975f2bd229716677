import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type BuildDesk, openDesks } from './builds-desks.js';
import { makeCard, makeProject } from './builds-project.js';
import { openRealDesk, timeBareStarts } from './builds-real-desk.js';
import { findDatabaseUrl } from './database.js';
import { runBench, startService } from './processes.js';
import { reportRow } from './report.js';
import type { BenchWorld } from './row.js';
import { describeTimes } from './times.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- builds [options]

How long an order takes to a desk that waits, until the coder runs on a real one and until all its processes are gone
after a cancel; and a line of a log to whoever follows it while many builds write.

  --orders <n>     builds that are asked for one after the other (100)
  --runs <n>       builds that a real desk runs, one after the other (30); half as many are canceled
  --builds <n>     builds that write at once (200)
  --rate <n>       lines a second of each (2)
  --seconds <n>    how long they write (20)`;

const { values: options } = parseArgs({
  options: {
    orders: { type: 'string', default: '100' },
    runs: { type: 'string', default: '30' },
    builds: { type: 'string', default: '200' },
    rate: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '20' },
    help: { type: 'boolean', default: false },
  },
});

const SLOTS = 50;

interface Running {
  buildId: string;
  claim: string;
  desk: BuildDesk;
}

/** Times how long a waiting desk takes to receive an order. */
async function timeOrders(
  desk: BuildDesk,
  count: number,
  makeBuild: () => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const waiting = desk.work(1, 50).then((orders) => ({ orders, at: performance.now() }));
    await wait(20);
    const asked = performance.now();
    await makeBuild();
    const { orders, at } = await waiting;
    times.push(at - asked);
    const { build_id, claim } = orders[0]!;
    await desk.start(build_id, claim);
    await desk.finish(build_id, claim);
  }
  return times;
}

async function startMany(
  desks: BuildDesk[],
  count: number,
  makeBuild: () => Promise<unknown>,
): Promise<Running[]> {
  const running: Running[] = [];
  for (let n = 0; n < count; n += 1) await makeBuild();
  for (const desk of desks)
    for (const { build_id: buildId, claim } of await desk.work(SLOTS, 0)) {
      await desk.start(buildId, claim);
      running.push({ buildId, claim, desk });
    }
  return running;
}

/** Follows a log whose lines contain the time they were sent. */
async function follow(world: BenchWorld, buildId: string, times: number[]): Promise<void> {
  const answer = await fetch(`${world.url}/api/v1/factory/builds/${buildId}/log/stream`, {
    headers: world.bearer,
  });
  let text = '';
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const end = text.lastIndexOf('\n\n');
    if (end < 0) continue;
    for (const [, sent] of text.slice(0, end).matchAll(/sent (\d+\.\d+)/g))
      times.push(performance.now() - Number(sent));
    text = text.slice(end);
  }
}

async function timeLines(world: BenchWorld, running: Running[]): Promise<{ times: number[]; sent: number }> {
  const times: number[] = [];
  let sent = 0;
  const readers = running.map(({ buildId }) => follow(world, buildId, times));
  const pause = 1000 / Number(options.rate);
  const until = performance.now() + Number(options.seconds) * 1000;
  await Promise.all(
    running.map(async ({ buildId, claim, desk }, index) => {
      await wait((pause * index) / running.length);
      for (let seq = 1; performance.now() < until; seq += 1) {
        const began = performance.now();
        await desk.log(buildId, claim, seq, `sent ${began.toFixed(3)}\n`);
        sent += 1;
        await wait(Math.max(0, pause - (performance.now() - began)));
      }
      await desk.finish(buildId, claim);
    }),
  );
  await Promise.all(readers);
  return { times, sent };
}

/** Measures how late timers fire in this process, which is the machine's share of every other figure. */
async function timeNothing(): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    const began = performance.now();
    await wait(10);
    times.push(performance.now() - began - 10);
  }
  return times;
}

async function measure(dataDir: string): Promise<void> {
  const { url, adminKey } = await startService(dataDir, { EMBEDDER: 'none' });
  const world = await makeWorld(url, adminKey);
  const database = new pg.Client({ connectionString: await findDatabaseUrl(dataDir) });
  // When something fails, the service stops its database before this connection is closed.
  database.on('error', () => {});
  await database.connect();
  await database.query(`update brands set plan = 'enterprise' where brand_id = $1`, [world.brandId]);
  const made = await makeProject(world, dataDir);
  const builds = Number(options.builds);
  const [real, ...desks] = await openDesks(database, world, 1 + Math.ceil(builds / SLOTS));
  const makeBuild = async () => {
    const card = await makeCard(world, made);
    return () => world.call('POST', `/api/v1/board/tasks/${card}/builds`, {});
  };

  reportRow('a timer of this process, beyond its time', describeTimes(await timeNothing()));
  const cards = await Promise.all(Array.from({ length: Number(options.orders) }, makeBuild));
  const orders = await timeOrders(desks[0]!, cards.length, () => cards.pop()!());
  reportRow('from POST to the order of a waiting desk', describeTimes(orders));

  const desk = await openRealDesk(world, real!, makeBuild);
  const runs = Number(options.runs);
  reportRow("from POST to the coder's first process", describeTimes(await desk.timeStarts(runs)));
  reportRow('a bare program and a shell, for the floor', describeTimes(timeBareStarts(runs)));
  const cancels = await desk.timeCancels(Math.ceil(runs / 2));
  reportRow('from cancel to the end of the process tree', describeTimes(cancels));
  reportRow('the same of a coder that is deaf to TERM', describeTimes(await desk.timeCancels(2, true)));
  await desk.remove();

  const running = await startMany(desks, builds, async () => (await makeBuild())());
  const { times, sent } = await timeLines(world, running);
  reportRow(
    `a line to its reader, ${running.length} builds writing`,
    `${describeTimes(times)}; ${times.length} of ${sent} lines`,
  );
  await database.end();
}

await runBench(options.help ? help : undefined, measure);
