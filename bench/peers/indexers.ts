import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../measure.js';
import type { BenchWorld } from '../row.js';
import { installPeer } from './install.js';
import { trySkipping } from './skipping.js';

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  },
  include: ['src'],
};

type Indexer = (folder: string) => Promise<void>;

/** Lets each indexer index this repository's sources. Every round changes every file, to defeat caches. */
export async function compareIndexers(
  world: BenchWorld,
  dataDir: string,
  rounds: number,
): Promise<{ rows: string[][]; skipped: string[] }> {
  const folder = join(dataDir, 'repositories', String(world.brandId), 'peers');
  mkdirSync(folder, { recursive: true });
  cpSync(fileURLToPath(new URL('../../src', import.meta.url)), join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  git(folder, 'init', '--quiet', '--initial-branch=main');
  const files = listSources(folder);

  const indexers = new Map<string, Indexer>([['ours', () => indexOurs(world, folder)]]);
  const skipped: string[] = [];
  for (const [name, command, args] of PEERS)
    await trySkipping(name, skipped, () => {
      const { version, command: find } = installPeer(name);
      const script = find(command);
      indexers.set(`${name} ${version}`, () => runScript(folder, script, args(dataDir)));
    });

  const times = new Map([...indexers.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const file of files) appendFileSync(file, `\n// Round ${round}\n`);
    git(folder, 'add', '.');
    git(folder, 'commit', '--quiet', `--message=Round ${round}`);
    const turn = round % 2 === 0 ? [...indexers] : [...indexers].toReversed();
    for (const [name, index] of turn) {
      if (skipped.some((text) => text.startsWith(name))) continue;
      const began = performance.now();
      const isDone = await trySkipping(name, skipped, () => index(folder));
      if (isDone) times.get(name)!.push(performance.now() - began);
    }
  }
  const perFile = (name: string) => median(times.get(name)!) / files.length;
  const ours = perFile('ours');
  const rows = [...indexers.keys()]
    .filter((name) => name !== 'ours' && times.get(name)!.length > 0)
    .map((name) => [
      `index of ${files.length} files: ${name}`,
      `${ours.toFixed(2)} ms a file`,
      `${perFile(name).toFixed(2)} ms a file`,
      (perFile(name) / ours).toFixed(1),
      '',
      '',
    ]);
  return { rows, skipped };
}

const PEERS: readonly (readonly [string, string, (dataDir: string) => string[]])[] = [
  [
    'dependency-cruiser',
    'depcruise',
    (dataDir) => [
      '--no-config',
      '--ts-config',
      'tsconfig.json',
      '--ts-pre-compilation-deps',
      '--output-type',
      'json',
      '--output-to',
      join(dataDir, 'cruised.json'),
      'src',
    ],
  ],
  ['madge', 'madge', () => ['--extensions', 'ts', '--ts-config', 'tsconfig.json', '--json', 'src']],
  [
    '@sourcegraph/scip-typescript',
    'scip-typescript',
    (dataDir) => ['index', '--output', join(dataDir, 'index.scip')],
  ],
];

const listSources = (folder: string): string[] =>
  execFileSync('find', [join(folder, 'src'), '-name', '*.ts'], { encoding: 'utf8' })
    .trim()
    .split('\n');

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-C', folder, '-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', ...args]);
}

/** Creates a project and waits until its index is ready, over HTTP and with everything stored. */
async function indexOurs(world: BenchWorld, folder: string): Promise<void> {
  const project = await world.call('POST', '/api/v1/projects', {
    name: 'Peers',
    repository: { url: folder },
  });
  const events = `${world.url}/api/v1/projects/${project['project_id']}/index/events`;
  // The stream closes when the index is ready.
  const told = await (await fetch(events, { headers: world.bearer })).text();
  if (!told.includes('ready')) throw new Error(`The index was not made: ${told}`);
}

/** Runs asynchronously: if this process blocked for a minute, its open connections would be closed. */
async function runScript(folder: string, script: string, args: string[]): Promise<void> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 5 * 60_000,
  });
  const closed = once(child, 'close');
  const said = (await child.stderr.setEncoding('utf8').toArray()).join('');
  const [status, signal] = await closed;
  if (status !== 0) throw new Error(signal ? `was ended by ${signal}` : said.trim().split('\n').at(-1));
}
