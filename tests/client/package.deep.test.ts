import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedDemo } from '../../src/demo/demo.js';
import { runWithin } from '../support/agent-programs.js';
import { type ClientWorld, startClientWorld } from './client-world.js';

const root = resolve(import.meta.dirname, '../..');
let here: ClientWorld;
let folder: string;
let env: Record<string, string>;

/** Packs the package and installs it into an empty folder, as a user would. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-client-'));
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  npm(['pack', '--pack-destination', folder, '--loglevel=error', join(root, 'client')], folder);
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const { version } = JSON.parse(await read('package.json')) as { version: string };
  npm(['install', '--offline', '--no-audit', '--no-fund', `./guildhall-client-${version}.tgz`], folder);
  here = await startClientWorld();
  const { token } = await seedDemo(here.world.app);
  env = { GUILDHALL_URL: here.url, GUILDHALL_TOKEN: token };
});

afterAll(async () => {
  await here?.stop();
  await rm(folder, { recursive: true, force: true });
});

const read = (path: string) => readFile(join(root, path), 'utf8');

const examplesIn = (text: string) =>
  [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, example]) => example!);

async function runExample(text: string): Promise<string> {
  const path = join(folder, 'example.mjs');
  await writeFile(path, text);
  const { code, output } = await runWithin(30_000, [process.execPath, path], { cwd: folder, env });
  expect(code, output).toBe(0);
  return output;
}

describe('Package @guildhall/client', () => {
  it('has no dependencies and contains only the files it needs', async () => {
    const { dependencies, version } = JSON.parse(await read('client/package.json'));
    expect(dependencies).toBeUndefined();
    expect(version).toBe(JSON.parse(await read('package.json')).version);
    const files = execFileSync('find', ['node_modules/@guildhall/client', '-type', 'f'], {
      cwd: folder,
      encoding: 'utf8',
    })
      .trim()
      .split('\n')
      .map((path) => path.slice('node_modules/@guildhall/client/'.length));
    expect(files.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
      'LICENSE',
      'README.md',
      'package.json',
    ]);
    expect(files.filter((path) => !/\.(d\.ts|js)$/.test(path) && path.startsWith('dist/'))).toEqual([]);
  });

  it('works as its README describes', async () => {
    const [example] = examplesIn(await read('client/README.md'));
    const output = await runExample(example!);
    expect(output).toMatch(/in_progress Write the notes/);
    expect(output).toMatch(/404 Card not found \S+|404 Task not found \S+/);
  });

  it.each([
    ['5', 'typescript5'],
    ['7', 'typescript'],
  ])(
    'compiles in strict mode with TypeScript %s',
    async (major, compiler) => {
      await writeFile(join(folder, 'sample.ts'), SAMPLE);
      const { version } = JSON.parse(await read(`node_modules/${compiler}/package.json`));
      expect(version.split('.')[0]).toBe(major);
      const compilerOptions = {
        noEmit: true,
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        target: 'ES2022',
        lib: ['ES2022', 'DOM'],
        module: 'NodeNext',
        types: [],
      };
      await writeFile(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['sample.ts'] }),
      );
      const program = join(root, 'node_modules', compiler, 'bin', 'tsc');
      const { code, output } = await runWithin(280_000, [process.execPath, program, '-p', '.'], {
        cwd: folder,
        env,
      });
      expect(output).toBe('');
      expect(code).toBe(0);
    },
    300_000,
  );
});

describe('docs/guide/scripting.md', async () => {
  const examples = examplesIn(await read('docs/guide/scripting.md'));

  it.each(examples.map((text, index) => [index + 1, text]))('runs example %i as pasted', async (_, text) => {
    const output = await runExample(String(text));
    expect(output).toMatch(/\S/);
    expect(output).not.toContain('false');
  });

  it('has examples', () => {
    expect(examples.length).toBeGreaterThan(5);
  });
});

/** Code that must compile, and lines that must not. */
const SAMPLE = `
import { type ActivityEntry, type Board, type FullCard, Guildhall, GuildhallError } from '@guildhall/client';

const guildhall = new Guildhall({ url: 'http://127.0.0.1', token: 'guild_pat_x', retry: { times: 3 } });
const board: Board = await guildhall.createBoard({ name: 'n', board_type: 'build' }, { idempotencyKey: 'k' });
const card: FullCard = await guildhall.createTask({ board_id: board.board_id, title: 't' });
const nothing: void = await guildhall.deleteTask({ task_id: card.id }, { signal: AbortSignal.timeout(1) });
for await (const item of guildhall.iterate('listBoardTasks', { board_id: board.board_id, per_page: 3 })) item.title.trim();
for await (const each of guildhall.iterate('listBoards')) each.columns.map(({ status }) => status);
for await (const change of guildhall.iterate('listCoderProfileHistory', { key: 'k' })) change.id.toFixed();
for await (const { data } of guildhall.stream('streamBoardActivity', { board_id: 'b' })) {
  const entry: ActivityEntry = data;
  entry.action satisfies string;
}
const yaml: string = await guildhall.searchMemories({ agent_id: 'a', format: 'yaml' });
const memories: { title: string }[] = (await guildhall.searchMemories({ agent_id: 'a' })).memories;
const error = new GuildhallError({ status: 404, detail: 'No' });
const facts: [number, string | Record<string, unknown>, string | undefined] = [error.status, error.detail, error.requestId];

// @ts-expect-error the board is missing
await guildhall.createTask({ title: 't' });
// @ts-expect-error no such type
await guildhall.createBoard({ name: 'n', board_type: 'round' });
// @ts-expect-error no such field
await guildhall.listBoards({ pages: 1 });
// @ts-expect-error not a list
guildhall.iterate('getBoard', { board_id: 'b' });
// @ts-expect-error a list that needs its board
guildhall.iterate('listBoardTasks');
// @ts-expect-error not a stream
guildhall.stream('listBoards', {});
export { facts, memories, nothing, yaml };
`;
