import { cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readAgainAndAgain, resetConnections, withholdBodies } from './overload/attacks.js';
import type { FloodOrder, FloodReport } from './overload/flood.js';
import {
  onOwnLine,
  type Probe,
  percentile,
  readProcessorTime,
  readStolenTime,
  steadily,
} from './overload/probes.js';
import { ask, forkProgram, readMemory, runBench, startService } from './processes.js';
import type { BenchWorld } from './row.js';
import { makeWorld } from './world.js';

const help = `npm run bench -- overload [options]

Measures what other callers notice while one workspace or strangers ask for too much: 900 strangers who withhold their bodies, 7,200
pipelined requests on connections that are reset, 8 and 32 readers of a card of 2 MiB, pages of 300 cards at ten times the rate that
can be served, and then very many connections at full speed. Another workspace asks meanwhile at a quarter of the rate that
can be served, health is checked, and a desk reports. It lasts about three minutes and prints each bar and whether it is kept.

  --connections <n>  of the one that asks for too much (2000)
  --seconds <n>      how long it does, at each of the two (20)
  --times <n>        how much too much it is (10)
  --limit <n>        RATE_LIMIT_PER_MINUTE of the service (0: none)`;

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '20' },
    times: { type: 'string', default: '10' },
    limit: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});

const FEW_CONNECTIONS = 16;
const PATH = '/api/v1/board/boards';
const CARDS = 300;
/** The text of instructions and result, 2 MiB together. */
const LARGE_TEXT = 'word '.repeat(200_000);
const AT_FULL_SPEED = 0;
const ONLY_CONNECTED = -1;
const IN_A_ROW = 20;

const bars: string[] = [];
/** Records a goal, the measured figure and whether the goal was met. */
function judge(bar: string, figure: string, isKept: boolean): void {
  bars.push(`${isKept ? 'kept  ' : 'MISSED'}  ${bar.padEnd(64)} ${figure}`);
}

const inMs = (time: number) => `${time.toFixed(0)} ms`;
const describe = (times: readonly number[]) =>
  `p50 ${inMs(percentile(times, 0.5))}, p99 ${inMs(percentile(times, 0.99))}`;
const describeProbe = ({ times, refused }: Probe) =>
  `${describe(times)}; ${times.length} served, ${refused} not`;

async function measure(dataDir: string): Promise<void> {
  const service = await startService(dataDir, { EMBEDDER: 'none', RATE_LIMIT_PER_MINUTE: options.limit });
  const { url, pid, adminKey } = service;
  const [greedy, other] = [await makeWorld(url, adminKey), await makeWorld(url, adminKey)];
  const boardOf = async (world: BenchWorld) => {
    const { board_id: boardId } = await world.call('POST', PATH, { name: 'Board' });
    return `/api/v1/board/boards/${boardId}/tasks`;
  };
  const [tasks, otherTasks] = [await boardOf(greedy), await boardOf(other)];
  for (let n = 0; n < CARDS; n += 1)
    await greedy.call('POST', tasks, { title: `Card ${n}`, instructions: 'Do this. '.repeat(30) });
  const large = await greedy.call('POST', tasks, {
    title: 'Large',
    instructions: LARGE_TEXT,
    result: LARGE_TEXT,
  });
  const small = await other.call('POST', otherTasks, { title: 'Small' });
  const pages = `${tasks}?per_page=${CARDS}`;
  const cardOf = ({ id }: Record<string, unknown>) => `/api/v1/board/tasks/${id}`;
  await attack();
  const { hostname: host, port } = new URL(url);
  const generator = forkProgram('./overload/flood.ts');
  const connections = Number(options.connections);

  /**
   * Runs the attacks one after another, each with a small read of another workspace and sign-ins in parallel.
   */
  async function attack(): Promise<void> {
    const readSmall = onOwnLine(`${url}${cardOf(small)}`, { headers: other.bearer });
    const signIn = () =>
      fetch(`${url}/api/v1/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: other.email, password: other.password }),
      });
    const beside = (seconds: number) => {
      const until = AbortSignal.timeout(seconds * 1000);
      return Promise.all([steadily(50, readSmall, until), steadily(3, signIn, until)]);
    };
    await beside(2);
    const [idle] = await beside(4);
    const usual = percentile(idle.times, 0.5);
    console.log(`a small read, idle    ${describeProbe(idle)}`);
    const report = (name: string, [reads, signIns]: [Probe, Probe], most: number) => {
      console.log(
        `${name}\n  a small read        ${describeProbe(reads)}\n  sign-ins            ${describeProbe(signIns)}`,
      );
      judge(
        `${name}: a small read takes at most ${most} times its usual ${usual.toFixed(1)} ms`,
        `${percentile(reads.times, 0.5).toFixed(1)} ms, ${reads.refused} refused`,
        reads.refused === 0 && percentile(reads.times, 0.5) <= most * usual,
      );
      judge(`${name}: sign-ins are served`, `${signIns.refused} refused`, signIns.refused === 0);
    };
    await resetConnections(url, greedy);
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${url}/api/v1/system/health`).then(({ status }) => status)),
    );
    const healthy = answers.filter((status) => status === 200).length;
    judge('7,200 pipelined requests, reset: health answers', `${healthy} of 40`, healthy === 40);
    report('after 7,200 pipelined requests, reset', await beside(3), 5);
    const release = await withholdBodies(url);
    report('900 strangers who withhold their bodies', await beside(5), 5);
    release();
    for (const readers of [8, 32]) {
      const stop = await readAgainAndAgain(url, greedy, cardOf(large), readers);
      report(`${readers} readers of 2 MiB`, await beside(6), 20);
      console.log(`  large cards served  ${await stop()}`);
    }
  }

  const flood = async (order: Pick<FloodOrder, 'connections' | 'seconds' | 'rate'>) => {
    const before = { cpu: readProcessorTime(pid), ...readStolenTime() };
    const report = await ask<FloodReport>(generator, {
      host,
      port: Number(port),
      path: pages,
      headers: greedy.bearer,
      ...order,
    });
    const { stolen, total } = readStolenTime();
    const cores = (readProcessorTime(pid) - before.cpu) / report.seconds;
    const lost = (100 * (stolen - before.stolen)) / (total - before.total);
    const machine = `the service had ${(100 * cores).toFixed(0)} % of a core; load ${loadavg()[0]!.toFixed(1)} on ${cpus().length}, ${lost.toFixed(0)} % stolen`;
    return { ...report, machine };
  };

  await flood({ connections: FEW_CONNECTIONS, seconds: 4, rate: AT_FULL_SPEED });
  const usual = await flood({ connections: FEW_CONNECTIONS, seconds: 6, rate: AT_FULL_SPEED });
  const sustainable = usual.served.length / usual.seconds;
  console.log(
    `${FEW_CONNECTIONS} connections        ${sustainable.toFixed(0)} a second, ${describe(usual.served)}`,
  );
  console.log(`                      ${usual.machine}`);

  const health = onOwnLine(`${url}/api/v1/system/health`);
  // The desk does not exist: only whether and how fast the heartbeat is answered matters.
  const heartbeat = onOwnLine(`${url}/api/v1/desk/heartbeat`, {
    method: 'POST',
    headers: { authorization: `Bearer ghd_${'0'.repeat(40)}` },
  });
  const beside = (until: AbortSignal) =>
    Promise.all([
      steadily(sustainable / 4, () => fetch(`${url}${cardOf(small)}`, { headers: other.bearer }), until),
      steadily(5, health, until),
      steadily(2, heartbeat, until, ({ status }) => status < 500),
    ]);

  const [alone] = await beside(AbortSignal.timeout(5000));
  console.log(`another, alone        ${describeProbe(alone)}`);

  const connected = ask<FloodReport>(generator, {
    ...{ host, port: Number(port), path: PATH, headers: {} },
    ...{ connections, seconds: 7, rate: ONLY_CONNECTED },
  });
  await wait(1000);
  const healthBesideIdle = await steadily(5, health, AbortSignal.timeout(5000));
  await connected;
  console.log(`${connections} that only connect`);
  console.log(`  health              ${describeProbe(healthBesideIdle)}`);
  judge(
    `health within a few hundred ms, ${connections} connections that do nothing`,
    describe(healthBesideIdle.times),
    healthBesideIdle.refused === 0 && percentile(healthBesideIdle.times, 0.99) < 500,
  );

  const memory: number[] = [readMemory(pid)];
  const watching = setInterval(() => memory.push(readMemory(pid)), 500);
  const besideFlood = async (name: string, rate: number) => {
    const ended = new AbortController();
    const probes = beside(ended.signal);
    const began = memory.length;
    const report = await flood({ connections, seconds: Number(options.seconds), rate });
    const loadEnded = performance.now();
    ended.abort();
    const recovered = await untilServed(`${url}${PATH}`, greedy.bearer);
    const recovery = recovered - loadEnded;
    const [others, watched, reports] = await probes;
    const { served, refused, failed, unsent, seconds } = report;
    const perSecond = (count: number) => (count / seconds).toFixed(0);
    const asked = served.length + refused.length + failed + unsent;
    console.log(`${name.padEnd(21)} ${perSecond(asked)} a second, ${report.machine}`);
    console.log(`  served              ${perSecond(served.length)} a second, ${describe(served)}`);
    console.log(`  refused             ${perSecond(refused.length)} a second, ${describe(refused)}`);
    console.log(`  failed, not sent    ${failed}, ${unsent}`);
    console.log(`  another             ${describeProbe(others)}`);
    console.log(`  health              ${describeProbe(watched)}`);
    console.log(`  a desk's report     ${describeProbe(reports)}`);
    const during = memory.slice(began);
    const [earlier, later] = [0.5, 1].map((end) =>
      Math.max(...during.slice(Math.floor((end - 0.5) * during.length), Math.floor(end * during.length))),
    );
    console.log(
      `  memory              ${memory[0]!.toFixed(0)} MiB before, ${earlier!.toFixed(0)} at most in the first half, ${later!.toFixed(0)} in the second`,
    );
    judge(`${name}: served p99 under 1 s`, inMs(percentile(served, 0.99)), percentile(served, 0.99) < 1000);
    if (rate !== AT_FULL_SPEED)
      judge(
        `${name}: refused within 100 ms at p95`,
        inMs(percentile(refused, 0.95)),
        percentile(refused, 0.95) < 100,
      );
    judge(
      `${name}: at least half of what can be served still is`,
      `${perSecond(served.length + others.times.length)} a second`,
      served.length + others.times.length >= (sustainable * seconds) / 2,
    );
    judge(
      `${name}: health p99 within a few hundred ms`,
      describe(watched.times),
      watched.refused === 0 && percentile(watched.times, 0.99) < 500,
    );
    judge(
      `${name}: desks are heard first`,
      describe(reports.times),
      reports.refused === 0 && percentile(reports.times, 0.99) < 1000,
    );
    const kept = others.times.length / others.seconds / (alone.times.length / alone.seconds);
    judge(`${name}: another workspace keeps two thirds`, `${(100 * kept).toFixed(0)} %`, kept >= 2 / 3);
    judge(
      `${name}: memory does not go on growing`,
      `${earlier!.toFixed(0)}, then ${later!.toFixed(0)} MiB`,
      later! < earlier! * 1.15,
    );
    judge(`${name}: served again within 5 s`, inMs(recovery), recovery < 5000);
  };
  const times = Number(options.times);
  await besideFlood(`${times} times the rate`, sustainable * times);
  await besideFlood(`all at full speed`, AT_FULL_SPEED);
  clearInterval(watching);
  judge(
    'no crash',
    service.child.exitCode === null ? 'it runs' : 'it ended',
    service.child.exitCode === null,
  );
  console.log(`\n${bars.join('\n')}`);
  if (bars.some((bar) => bar.startsWith('MISSED'))) process.exitCode = 1;
}

/** Returns the time of the first of several consecutive successful answers. */
async function untilServed(url: string, headers: Record<string, string>): Promise<number> {
  let inARow = 0;
  let first = performance.now();
  while (inARow < IN_A_ROW) {
    const answer = await fetch(url, { headers });
    await answer.arrayBuffer();
    if (answer.ok && inARow === 0) first = performance.now();
    inARow = answer.ok ? inARow + 1 : 0;
  }
  return first;
}

await runBench(options.help ? help : undefined, measure);
