import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const programs = {
  endpoints: 'requests beside a bare server that runs the same SQL',
  builds: 'orders, starts and cancels of builds, and lines of their logs to whoever follows them',
  webhooks: 'deliveries a minute, and the interface beside them',
  'large-board': 'the page of a board with 5,000 cards in a browser',
  desks: 'health checks of 10,000 desks',
  lessons: 'the index of a large repository, and reads over its graph',
  'memory-scale': 'search over 250,000 memories of 50 workspaces',
  recall: 'how well memories are found',
} as const;
type Program = keyof typeof programs;

const BY_DEFAULT: readonly Program[] = ['endpoints', 'builds', 'webhooks'];

const help = `npm run bench                         ${BY_DEFAULT.join(', ')}, one after the other
npm run bench -- <name> [options]     one of them; --help tells its options

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
} else if (isProgram(name)) {
  await run(name, args);
} else {
  console.log(help);
  if (name !== '--help') process.exitCode = 2;
}
