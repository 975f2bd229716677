import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CodeWorld, type Project } from '../../../tests/support/code-world.js';
import type { ScratchRepository } from '../../../tests/support/scratch-repository.js';

let code: CodeWorld;
let theirs: ScratchRepository;

beforeAll(async () => {
  code = await CodeWorld.start();
  theirs = (await code.another()).repository('theirs');
  theirs.save({ 'secret.ts': 'export function secret() {}' });
  theirs.git('gc', '--quiet');
});
afterAll(() => code.stop());

const foreign = (...parts: string[]) => join(theirs.folder, '.git', ...parts);

/** Replaces a file or folder of the repository by a link. */
function linkInstead(repository: ScratchRepository, part: string, target: string): void {
  const place = join(repository.folder, '.git', part);
  rmSync(place, { recursive: true, force: true });
  symlinkSync(target, place);
}

const borrowed =
  (text: string, ...file: string[]) =>
  (repository: ScratchRepository) =>
    appendFileSync(join(repository.folder, '.git', ...file), text);

/** Ways in which a repository can read data of another one. */
const WAYS: [string, (repository: ScratchRepository) => void][] = [
  ['linked objects', (mine) => linkInstead(mine, 'objects', foreign('objects'))],
  ['a linked objects/pack', (mine) => linkInstead(mine, 'objects/pack', foreign('objects/pack'))],
  [
    'a linked pack',
    (mine) => {
      for (const name of readdirSync(foreign('objects/pack')))
        linkInstead(mine, `objects/pack/${name}`, foreign('objects/pack', name));
    },
  ],
  ['a linked folder of loose objects', (mine) => linkInstead(mine, 'objects/00', foreign('objects'))],
  ['linked refs', (mine) => linkInstead(mine, 'refs', foreign('refs'))],
  ['a linked branch', (mine) => linkInstead(mine, 'refs/heads/main', foreign('packed-refs'))],
  ['linked packed-refs', (mine) => linkInstead(mine, 'packed-refs', foreign('packed-refs'))],
  ['a linked HEAD', (mine) => linkInstead(mine, 'HEAD', foreign('HEAD'))],
  ['a linked config', (mine) => linkInstead(mine, 'config', foreign('config'))],
  [
    'a pipe instead of its config',
    (mine) => {
      rmSync(join(mine.folder, '.git', 'config'));
      execFileSync('mkfifo', [join(mine.folder, '.git', 'config')]);
    },
  ],
  ['alternates', (mine) => borrowed(`${foreign('objects')}\n`, 'objects/info/alternates')(mine)],
  ['a commondir', (mine) => borrowed(`${foreign()}\n`, 'commondir')(mine)],
  ['included settings', (mine) => borrowed(`[include]\n\tpath = ${foreign('config')}\n`, 'config')(mine)],
  [
    'conditionally included settings after another section',
    (mine) => borrowed(`[core] [includeIf "gitdir:/"] path = ${foreign('config')}\n`, 'config')(mine),
  ],
  [
    'objects fetched on demand',
    (mine) => borrowed(`[remote "o"]\n\turl = ${foreign()}\n\tpromisor = true\n`, 'config')(mine),
  ],
  [
    'a .git file',
    (mine) => {
      rmSync(join(mine.folder, '.git'), { recursive: true });
      writeFileSync(join(mine.folder, '.git'), `gitdir: ${foreign()}\n`);
    },
  ],
  [
    'a linked .git',
    (mine) => {
      rmSync(join(mine.folder, '.git'), { recursive: true });
      symlinkSync(foreign(), join(mine.folder, '.git'));
    },
  ],
  ['a pipe', (mine) => void execFileSync('mkfifo', [join(mine.folder, '.git/refs/heads/pipe')])],
];

async function expectNothingForeign(project: Project): Promise<void> {
  expect((await project.nodes()).map(({ path }) => path)).not.toContain('secret.ts');
}

describe("Local repository that reads another workspace's data through", () => {
  it.each(WAYS)('%s is rejected', async (_, borrow) => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    borrow(repository);
    const { status } = await code.call('POST', '/api/v1/projects', {
      name: 'Bad',
      repository: { url: repository.folder },
    });
    expect(status).toBe(422);
  });

  it.each(WAYS)('%s, added later, fails its index run', async (_, borrow) => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    const project = await code.attach(repository);
    expect(await project.index()).toMatchObject({ status: 'ready' });
    borrow(repository);
    expect(await project.index()).toMatchObject({
      status: 'failed',
      error: 'The repository is not wholly inside the folder of this workspace',
    });
    await expectNothingForeign(project);
  });

  it('a name that git would complete with .git is not completed', async () => {
    const repository = code.repository('completed');
    rmSync(repository.folder, { recursive: true });
    symlinkSync(foreign(), `${repository.folder}.git`);
    const project = await code.attach(repository);
    expect(await project.index()).toMatchObject({ status: 'failed', files: 0 });
    await expectNothingForeign(project);
  });
});

describe('Local repository', () => {
  it('can be bare', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    renameSync(join(repository.folder, '.git'), `${repository.folder}-bare`);
    const { body } = await code.call<{ project_id: string }>('POST', '/api/v1/projects', {
      name: 'Bare',
      repository: { url: `${repository.folder}-bare` },
    });
    await code.world.runJob('project-index-wanted');
    const { body: index } = await code.call('GET', `/api/v1/projects/${body.project_id}/index`);
    expect(index).toMatchObject({ status: 'ready', files: 1 });
  });

  it('can have packs, a work tree with links, and linked hooks, which are never read', async () => {
    const repository = code.repository();
    repository.save({ 'a.ts': '' });
    repository.git('gc', '--quiet');
    mkdirSync(join(repository.folder, '.git/hooks'), { recursive: true });
    symlinkSync('/bin/true', join(repository.folder, '.git/hooks/post-commit'));
    symlinkSync('a.ts', join(repository.folder, 'link.ts'));
    expect(await (await code.attach(repository)).index()).toMatchObject({ status: 'ready', files: 1 });
  });

  it('fails its index run when the folder is not a repository', async () => {
    const repository = code.repository();
    rmSync(join(repository.folder, '.git'), { recursive: true });
    symlinkSync('/etc/hostname', join(repository.folder, 'link'));
    expect(await (await code.attach(repository)).index()).toMatchObject({
      status: 'failed',
      error: 'The repository could not be read',
    });
  });
});
