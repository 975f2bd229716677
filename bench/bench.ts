import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Run, writeFigures } from './figures.js';
import type { Report } from './report.js';

const programs = {
  endpoints:
    'requests beside a bare server that runs the same SQL, and tools of agents beside plain requests',
  growth: 'every list, with so much data and with ten times as much',
  builds: 'orders, starts and cancels of builds, and lines of their logs to whoever follows them',
  webhooks: 'deliveries a minute, and the interface beside them',
  search: 'search over 100,000 cards with 500 workspaces beside them',
  'memory-scale': 'search over 250,000 memories of 50 workspaces',
  lessons: 'the index of a large repository, and reads over its graph',
  peers: 'other programs at the same work: Unleash, dependency-cruiser, madge, scip-typescript, mem0',
  'gates-faults': 'planted faults in builds, and how many are named',
  'gates-money': 'many builds at once against a metered stub on two nodes: the budget, and the bill',
  'pull-requests': 'from a merge on a simulated host to a card that is done',
  'large-board': 'the page of a board with 5,000 cards in a browser',
  desks: 'health checks of 10,000 desks',
  import: 'an export of 10,000 cards, read and made',
  bulk: 'writes of many rows, with four times as many, and another workspace beside them',
  overload: 'ten times more requests than can be served, and another workspace beside them',
  recall: 'how well memories are found',
  simulate: 'a year of a company of 5,000 people and 50,000 agents, on paper',
} as const;
type Program = keyof typeof programs;
const names = Object.keys(programs) as Program[];

/** The programs of a full run, with options that let it finish within twenty minutes on two idle cores. */
const WHOLE: readonly [Program, ...string[]][] = [
  ['endpoints'],
  ['growth', '--tenth'],
  ['builds', '--orders', '50', '--runs', '20', '--seconds', '10'],
  ['webhooks', '--seconds', '30', '--warm-up', '5'],
  ['search', '--neighbours', '100', '--times', '30'],
  ['memory-scale', '--leaks', '2000'],
  ['lessons'],
];

const help = `npm run bench                         ${WHOLE.map(([name]) => name).join(', ')},
                                      one after the other; writes docs/figures.md
npm run bench -- --peers              the same, and peers
npm run bench -- <name> [options]     one of them; --help tells its options, --write writes its section of docs/figures.md
npm run bench -- gates                everything about gates

${names.map((name) => `  ${name.padEnd(14)} ${programs[name]}`).join('\n')}`;

const isProgram = (name: string): name is Program => Object.hasOwn(programs, name);

/**
 * Runs a program in its own process, so that earlier runs do not affect it. Returns undefined if it failed.
 */
async function run(name: Program, args: string[]): Promise<Run | undefined> {
  console.log(`\n== ${name}: ${programs[name]}`);
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  const load = loadavg()[0] ?? 0;
  const reports: Report[] = [];
  child.on('message', (report: Report) => reports.push(report));
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', passOn).on('SIGTERM', passOn);
  const [code] = await once(child, 'close');
  process.off('SIGINT', passOn).off('SIGTERM', passOn);
  const command = ['npm run bench --', name, ...args].join(' ');
  if (code === 0 && reports.length > 0) return { name, about: programs[name], command, load, reports };
  if (code !== 0) process.exitCode = 1;
  return undefined;
}

async function runAll(all: readonly (readonly [Program, ...string[]])[], isWritten: boolean): Promise<void> {
  const began = performance.now();
  const runs: Run[] = [];
  for (const [name, ...args] of all) {
    const done = await run(name, args);
    if (done) runs.push(done);
    else if (isWritten) console.log(`${name} failed or told nothing: its section of docs/figures.md stays.`);
  }
  if (isWritten) writeFigures(runs, names);
  if (all.length > 1)
    console.log(`\nall of it took ${((performance.now() - began) / 60_000).toFixed(1)} min`);
}

const given = process.argv.slice(2);
const args = given.filter((arg) => arg !== '--write');
const isWritten = args.length < given.length;
const [name, ...rest] = args;
if (name === undefined) {
  await runAll(WHOLE, true);
} else if (name === '--peers') {
  await runAll([...WHOLE, ['peers', ...rest]], true);
} else if (name === 'gates') {
  await runAll(
    names.filter((each) => each.startsWith('gates-')).map((each) => [each, ...rest] as const),
    isWritten,
  );
} else if (isProgram(name)) {
  await runAll([[name, ...rest]], isWritten);
} else {
  console.log(help);
  if (name !== '--help') process.exitCode = 2;
}
