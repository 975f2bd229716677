import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const programs = {
  endpoints: 'requests beside a bare server that runs the same SQL',
  builds: 'orders, starts and cancels of builds, and lines of their logs to whoever follows them',
  'gates-faults': 'planted faults in builds, and how many are named',
  'gates-money': 'many builds at once against a metered stub on two nodes: the budget, and the bill',
  'way-home': 'from a merge on a simulated host to a card that is done',
  webhooks: 'deliveries a minute, and the interface beside them',
  'large-board': 'the page of a board with 5,000 cards in a browser',
  desks: 'health checks of 10,000 desks',
  import: 'an export of 10,000 cards, read and made',
  lessons: 'the index of a large repository, and reads over its graph',
  search: 'search over 100,000 cards with 500 workspaces beside them',
  'memory-scale': 'search over 250,000 memories of 50 workspaces',
  overload: 'ten times more requests than can be served, and another workspace beside them',
  recall: 'how well memories are found',
  simulate: 'a year of a company of 5,000 people and 50,000 agents, on paper',
} as const;
type Program = keyof typeof programs;

const BY_DEFAULT: readonly Program[] = ['endpoints', 'builds', 'webhooks'];

const help = `npm run bench                         ${BY_DEFAULT.join(', ')}, one after the other
npm run bench -- <name> [options]     one of them; --help tells its options
npm run bench -- gates                everything about gates

${Object.entries(programs)
  .map(([name, about]) => `  ${name.padEnd(14)} ${about}`)
  .join('\n')}`;

const isProgram = (name: string): name is Program => Object.hasOwn(programs, name);

/** In a process of its own, so that none measures what another has left behind. */
async function run(name: Program, args: string[]): Promise<void> {
  console.log(`\n== ${name}: ${programs[name]}`);
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], { stdio: 'inherit' });
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', passOn).on('SIGTERM', passOn);
  const [code] = await once(child, 'exit');
  process.off('SIGINT', passOn).off('SIGTERM', passOn);
  if (code !== 0) process.exitCode = 1;
}

const [name, ...args] = process.argv.slice(2);
if (name === undefined) {
  for (const each of BY_DEFAULT) await run(each, []);
} else if (name === 'gates') {
  for (const each of Object.keys(programs).filter(isProgram))
    if (each.startsWith('gates-')) await run(each, args);
} else if (isProgram(name)) {
  await run(name, args);
} else {
  console.log(help);
  if (name !== '--help') process.exitCode = 2;
}
