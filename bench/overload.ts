import { cpus, loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
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
import { makeWorld } from './world.js';

const help = `npm run bench -- overload [options]

First the rate that a few connections get; then very many that only connect; then ten times that rate, and then all of them at full
speed, while another workspace asks at a quarter of that rate, and health is looked at and a desk reports. It lasts about two
minutes and ends with each bar and whether it is kept.

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
const AT_FULL_SPEED = 0;
const ONLY_CONNECTED = -1;
const IN_A_ROW = 20;

const bars: string[] = [];
/** A bar, the figure, and whether it is kept. */
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
  for (const world of [greedy, other]) await world.call('POST', PATH, { name: 'Board' });
  const { hostname: host, port } = new URL(url);
  const generator = forkProgram('./overload/flood.ts');
  const connections = Number(options.connections);
  const flood = async (order: Pick<FloodOrder, 'connections' | 'seconds' | 'rate'>) => {
    const before = { cpu: readProcessorTime(pid), ...readStolenTime() };
    const report = await ask<FloodReport>(generator, {
      host,
      port: Number(port),
      path: PATH,
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
  // A desk that nobody knows: what is looked at is whether it is heard, and how soon.
  const heartbeat = onOwnLine(`${url}/api/v1/desk/heartbeat`, {
    method: 'POST',
    headers: { authorization: `Bearer ghd_${'0'.repeat(40)}` },
  });
  const beside = (until: AbortSignal) =>
    Promise.all([
      steadily(sustainable / 4, () => fetch(`${url}${PATH}`, { headers: other.bearer }), until),
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

/** When the first of so many answers in a row was given. */
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
