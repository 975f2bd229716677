import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameRepository } from '../../cli/src/checkout.js';
import { CodeWorld, type Project } from '../support/code-world.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, startCliWorld } from './cli-world.js';

const lesson = (anchor: string, body: string) =>
  `---\ntype: gotcha\nanchors:\n  - ${anchor}\n---\n# Rounding\n\n${body}\n`;

let code: CodeWorld;
let cli: CliWorld;
let project: Project;
let token: string;

beforeAll(async () => {
  code = await CodeWorld.start();
  project = await code.project({
    'src/billing.ts': 'import { round } from "./money.js";\nexport const total = () => round(1);\n',
    'src/money.ts': 'export const round = (n: number) => n;\n',
    'docs/readme.md': 'Nothing.\n',
    'lessons/billing/rounding.md': lesson('src/money.ts', 'Round half up.'),
  });
  cli = await startCliWorld(code.world);
  token = code.workspace.token;
});
afterAll(() => cli?.stop());

const inCode = (args: string[], cwd: string) => cli.guildhall(args, { cwd, env: { GUILDHALL_TOKEN: token } });
const near = async (path: string, cwd: string) => {
  const { stdout, stderr, code: ended } = await inCode(['lessons', 'near', path, '--json', 'path,hops'], cwd);
  expect(ended, stderr).toBe(0);
  return JSON.parse(stdout) as { path: string; hops: number }[];
};

function clone(settings?: object): string {
  const { folder } = new ScratchRepository();
  const at = join(folder, 'clone');
  project.repository.git('clone', '--quiet', project.repository.folder, at);
  if (settings) writeFileSync(join(at, 'guildhall.json'), JSON.stringify(settings));
  return at;
}

describe('guildhall lessons near', () => {
  it("finds the project by the checkout's remote, from any subfolder", async () => {
    const at = clone();
    const found = [{ path: 'lessons/billing/rounding.md', hops: 0 }];
    expect(await near('src/money.ts', at)).toEqual(found);
    expect(await near('money.ts', join(at, 'src'))).toEqual(found);
    expect(await near('../src/money.ts', join(at, 'docs'))).toEqual(found);
    expect(await near(join(at, 'src/money.ts'), join(at, 'docs'))).toEqual(found);
    expect(await near('src/money.ts', join(at, 'docs')), 'written from the root').toEqual(found);
    expect((await near('billing.ts', join(at, 'src')))[0]).toMatchObject({ hops: 1 });
  });

  it('prefers the project in guildhall.json', async () => {
    const other = await code.project({ 'src/money.ts': 'export const other = 1;\n' });
    expect(await near('src/money.ts', clone({ project_id: other.id }))).toEqual([]);
    const { folder } = new ScratchRepository();
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'guildhall.json'), JSON.stringify({ project_id: project.id }));
    expect(await near('money.ts', join(folder, 'src'))).toHaveLength(1);
  });

  it('works in a worktree of the checkout', async () => {
    const at = clone();
    const tree = `${at}-tree`;
    project.repository.git('-C', at, 'worktree', 'add', '--quiet', '--detach', tree);
    expect(await near('money.ts', join(tree, 'src'))).toHaveLength(1);
  });

  it('suggests a command when there is no project', async () => {
    const { code: ended, stderr } = await inCode(['lessons', 'near', 'a.ts'], new ScratchRepository().folder);
    expect(ended).toBe(2);
    expect(stderr).toContain('guildhall.json');
  });

  it('refuses a path outside the checkout and an invalid guildhall.json', async () => {
    expect((await inCode(['lessons', 'near', '/etc/passwd'], clone())).code).toBe(2);
    const at = clone();
    for (const text of ['{', '[]', '{"project_id": 7}']) {
      writeFileSync(join(at, 'guildhall.json'), text);
      const { code: ended, stderr } = await inCode(['lessons', 'near', 'src/money.ts'], at);
      expect(ended, text).toBe(2);
      expect(stderr).toContain('guildhall.json');
    }
  });
});

describe('Other lesson commands', () => {
  it('lessons search, list, similar, impact and sync work in a checkout', async () => {
    const at = clone();
    const paths = async (args: string[]) =>
      (JSON.parse((await inCode([...args, '--json'], at)).stdout) as { path: string }[]).map(
        ({ path }) => path,
      );
    expect(await paths(['lessons', 'search', 'src/money.ts'])).toEqual(['lessons/billing/rounding.md']);
    expect(await paths(['lessons', 'list'])).toEqual(['lessons/billing/rounding.md']);
    expect((await inCode(['lessons', 'similar', 'Round half up.'], at)).code).toBe(0);
    expect((await inCode(['lessons', 'search'], at)).code).toBe(2);

    mkdirSync(join(at, 'lessons/tax'), { recursive: true });
    writeFileSync(join(at, 'lessons/tax/rate.md'), lesson('src/billing.ts', 'The rate is 19 percent.'));
    const synced = await inCode(['lessons', 'sync'], join(at, 'src'));
    expect(synced, synced.stderr).toMatchObject({ code: 0 });
    expect(await paths(['lessons', 'list'])).toContain('lessons/tax/rate.md');

    const impact = await inCode(['lessons', 'impact', 'main', 'main', '--json'], at);
    expect(JSON.parse(impact.stdout)).toMatchObject({ stale: [], moved: [], touched: [] });
  });
});

describe('guildhall cards in a checkout', () => {
  it('lists cards of the board in guildhall.json, and creates them for its project', async () => {
    const call = <T>(method: 'POST', path: string, payload: object) =>
      code.call<T>(method, path, payload).then(({ body }) => body);
    const board = await call<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'Here' });
    const other = await call<{ board_id: string }>('POST', '/api/v1/board/boards', { name: 'There' });
    await call('POST', `/api/v1/board/boards/${other.board_id}/tasks`, { title: 'Elsewhere' });
    const at = clone({ board_id: board.board_id, project_id: project.id, url: cli.url });
    const made = await inCode(
      ['cards', 'create', 'Here', '--json', 'title,project_id,board_id'],
      join(at, 'src'),
    );
    expect(JSON.parse(made.stdout)).toEqual({
      title: 'Here',
      project_id: project.id,
      board_id: board.board_id,
    });
    const titles = async (cwd: string, more: string[] = []) =>
      (
        JSON.parse((await inCode(['cards', 'list', '--json', 'title', ...more], cwd)).stdout) as {
          title: string;
        }[]
      ).map(({ title }) => title);
    expect(await titles(join(at, 'docs'))).toEqual(['Here']);
    expect(await titles(clone()), 'of the project, without a board').toEqual(['Here']);
    expect((await titles(clone(), ['--all'])).sort()).toEqual(['Elsewhere', 'Here']);
  });
});

describe('Repository addresses', () => {
  it.each([
    ['git@git.example:team/app.git', 'https://git.example/team/app'],
    ['ssh://git@git.example:22/team/app', 'https://GIT.example/team/app.git/'],
    ['https://user:pass@git.example/team/app', 'git.example:team/app'],
    ['file:///srv/app.git', '/srv/app.git'],
  ])('%s and %s name the same repository', (one, other) => {
    expect(nameRepository(one)).toBe(nameRepository(other));
  });

  it.each([
    ['git@git.example:team/app.git', 'https://git.example/team/apple'],
    ['https://git.example/team/app', 'https://other.example/team/app'],
  ])('%s and %s name different repositories', (one, other) => {
    expect(nameRepository(one)).not.toBe(nameRepository(other));
  });
});
