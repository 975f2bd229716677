import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CodeWorld, type Project } from '../../../../tests/support/code-world.js';
import { ScratchRepository } from '../../../../tests/support/scratch-repository.js';
import { ApiError } from '../../../kernel/errors.js';
import { createMirror } from '../git/mirror.js';
import type { ProjectRow } from '../repository/projects.store.js';
import type { PushFailed } from './branch-push.js';

const BRANCH = 'guildhall/app-1-1';

let code: CodeWorld;
let project: Project;
let row: ProjectRow;
let base: string;
let work: ScratchRepository;

beforeAll(async () => {
  code = await CodeWorld.start();
  project = await code.project({ 'src/app.ts': 'export const one = 1;\n', 'README.md': '# App\n' });
  row = (await code.world.app.projects.findProject(code.workspace.brand.brand_id, project.id))!;
  base = row.ready_commit!;
});

afterAll(() => code.stop());

beforeEach(async () => {
  work?.dispose();
  work = await checkOut();
});

const commits = () => code.world.app.projects.commits;

/** Creates a coder's checkout from the bundle that the service provides. */
async function checkOut(): Promise<ScratchRepository> {
  const repository = new ScratchRepository();
  const bundle = join(repository.folder, '.git', 'base.bundle');
  writeFileSync(bundle, await readAll(await commits().readBundle(row, base, new AbortController().signal)));
  repository.git('fetch', '--quiet', bundle, 'refs/heads/base:refs/heads/base');
  repository.git('checkout', '--quiet', '-b', BRANCH, base);
  return repository;
}

async function readAll(bytes: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function bundleOf(repository: ScratchRepository, ...what: string[]): Buffer {
  const file = join(repository.folder, '.git', 'out.bundle');
  repository.git('bundle', 'create', '--quiet', file, ...what);
  return readFileSync(file);
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

const stage = (bundle: Buffer, arrival: Partial<{ branch: string; base: string }> = {}) =>
  commits().stage(row, { branch: BRANCH, base, ...arrival }, pieces(bundle));

/** Submits the commits on the branch and publishes them under the given ref name. */
async function publish(name: string): Promise<void> {
  const staged = await stage(bundleOf(work, `${base}..${BRANCH}`));
  await staged.publish(`refs/guildhall/builds/${name}`);
  await staged.discard();
}

const mirrorFolder = () => join(code.world.config.dataDir, 'mirrors', `${project.id}.git`);

const mirrorState = () => ({
  refs: execFileSync('git', ['--git-dir', mirrorFolder(), 'for-each-ref'], { encoding: 'utf8' }),
  packs: readdirSync(join(mirrorFolder(), 'objects', 'pack')).sort(),
  objects: execFileSync('git', ['--git-dir', mirrorFolder(), 'count-objects', '-v'], { encoding: 'utf8' }),
});

async function refusal(staging: Promise<unknown>): Promise<[number, string]> {
  const before = mirrorState();
  const error = await staging.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  if (!(error instanceof ApiError)) throw new Error(`not refused: ${String(error)}`, { cause: error });
  expect(mirrorState(), 'the repository is untouched').toEqual(before);
  expect(readdirSync(join(code.world.config.dataDir, 'mirrors', 'arrivals')), 'nothing is left').toEqual([]);
  return [error.status, error.message];
}

const expectRefused = async (staging: Promise<unknown>, reason: string): Promise<void> =>
  expect(await refusal(staging)).toEqual([422, reason]);

/** Creates a bundle with a handwritten header. */
function forge(header: string, pack: Buffer): Buffer {
  return Buffer.concat([Buffer.from(header), pack]);
}

type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';
const TYPES: Record<ObjectType, number> = { commit: 1, tree: 2, blob: 3, tag: 4 };

const idOf = (type: ObjectType, content: Buffer): string =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

/** Creates a pack with objects that git itself would not create. */
function packObjects(objects: { type: ObjectType; content: Buffer }[]): Buffer {
  const parts = [Buffer.from('PACK'), Buffer.from([0, 0, 0, 2]), number32(objects.length)];
  for (const { type, content } of objects) {
    const head = [];
    let size = content.length;
    let byte = (TYPES[type] << 4) | (size & 15);
    for (size = Math.floor(size / 16); size > 0; size = Math.floor(size / 128)) {
      head.push(byte | 128);
      byte = size & 127;
    }
    head.push(byte);
    parts.push(Buffer.from(head), deflateSync(content, { level: 1 }));
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const entry = (mode: string, name: string, id: string) =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);

/** A commit on the base whose tree contains only these entries. */
function forgeTree(entries: Buffer, extra: { type: ObjectType; content: Buffer }[] = []): Buffer {
  const commit = Buffer.from(
    `tree ${idOf('tree', entries)}\nparent ${base}\nauthor A <a@b.c> 1 +0000\ncommitter A <a@b.c> 1 +0000\n\nForged\n`,
  );
  const head = idOf('commit', commit);
  const pack = packObjects([
    { type: 'commit', content: commit },
    { type: 'tree', content: entries },
    ...extra,
  ]);
  return forge(`# v2 git bundle\n-${base} base\n${head} refs/heads/${BRANCH}\n\n`, pack);
}

const blobOf = (content: Buffer) => ({ type: 'blob' as const, content });
const BLOB = Buffer.from('harmless\n');
const blob = blobOf(BLOB);

describe('Bundle of a base commit', () => {
  it('contains the commit with its files and history', async () => {
    expect(work.git('rev-parse', 'HEAD')).toBe(base);
    expect(work.git('show', 'HEAD:src/app.ts')).toBe('export const one = 1;');
    expect(work.git('fsck', '--strict')).toBe('');
  });
});

describe('Submitted commits', () => {
  it('are staged outside the mirror, counted, and then published under their own ref', async () => {
    const head = work.save({
      'src/app.ts': 'export const one = 1;\nexport const two = 2;\n',
      'new.md': 'new\n',
    });
    const before = mirrorState();
    const staged = await stage(bundleOf(work, `${base}..${BRANCH}`));
    expect([staged.head, staged.diff]).toEqual([head, { files: 2, insertions: 2, deletions: 0 }]);
    expect(mirrorState()).toEqual(before);
    await staged.publish('refs/guildhall/builds/one');
    await staged.discard();
    expect(await commits().hasCommit(project.id, head)).toBe(true);
    expect(mirrorState().refs).toContain(`${head} commit\trefs/guildhall/builds/one`);
    const diff = (await commits().readDiff(row, base, head)).toString();
    expect(diff).toContain('+export const two = 2;');
    expect((await commits().readDiff(row, base, head, 'new.md')).toString()).not.toContain('app.ts');
    expect((await commits().readDiff(row, base, head, ':(top)')).toString()).toBe('');
    await expect(commits().readDiff(row, base, head, '../x')).rejects.toMatchObject({ status: 422 });
    await expect(commits().readDiff(row, base, head, '/etc/passwd')).rejects.toMatchObject({ status: 422 });
    expect(await commits().listChangedPaths(row, base, head, 10)).toEqual(['new.md', 'src/app.ts']);
  });

  it('survive an index run, which does not include them', async () => {
    const head = work.save({ 'src/hidden.ts': 'export const hidden = 1;\n' });
    await publish('kept');
    project.repository.save({ 'other.md': 'meanwhile\n' });
    expect((await project.index()).status).toBe('ready');
    expect(await commits().hasCommit(project.id, head)).toBe(true);
    expect(mirrorState().refs).toContain('refs/guildhall/builds/kept');
    expect((await project.nodes()).map(({ path }) => path)).not.toContain('src/hidden.ts');
  });

  it('can include their whole history, merges, and a link inside the repository', async () => {
    work.git('checkout', '--quiet', '-b', 'side');
    work.save({ 'side.md': 'side\n' });
    work.git('checkout', '--quiet', BRANCH);
    work.write({ 'main.md': 'main\n' });
    symlinkSync('../README.md', join(work.folder, 'src', 'readme'));
    work.commit();
    work.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'side');
    const staged = await stage(bundleOf(work, BRANCH));
    expect(staged.diff.files).toBe(3);
    await staged.discard();
  });

  it('can be empty', async () => {
    const staged = await stage(forge(`# v2 git bundle\n${base} refs/heads/${BRANCH}\n\n`, packObjects([])));
    expect(staged.diff).toEqual({ files: 0, insertions: 0, deletions: 0 });
    await staged.discard();
  });
});

describe('Rejected bundle, with an unchanged repository', () => {
  it('rejects a file that is not a bundle', async () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('hello'),
      Buffer.from('# v2 git bundle\n'),
      Buffer.from('# v9 git bundle\n\nPACK00000000'),
      Buffer.from(`# v3 git bundle\n@filter=blob:none\n${base} refs/heads/${BRANCH}\n\nPACK00000000`),
      Buffer.from(`# v2 git bundle\n--upload-pack=x\n${base} refs/heads/${BRANCH}\n\nPACK00000000`),
      Buffer.alloc(300_000, 'x'),
    ])
      await expectRefused(stage(bytes), 'The body is not a git bundle');
  });

  it('rejects another branch and additional refs', async () => {
    work.save({ 'a.md': 'a\n' });
    const bundle = bundleOf(work, `${base}..${BRANCH}`);
    await expectRefused(
      stage(bundle, { branch: 'guildhall/app-2-1' }),
      'The bundle does not hold the branch guildhall/app-2-1',
    );
    work.git('branch', 'main');
    await expectRefused(
      stage(bundleOf(work, `^${base}`, BRANCH, 'main')),
      `The bundle must contain only the branch ${BRANCH}`,
    );
    work.git('tag', 'v1');
    expect((await refusal(stage(bundleOf(work, `^${base}`, BRANCH, 'v1'))))[0]).toBe(422);
  });

  it('rejects other histories, commits before the base, and a base that is newer than the branch', async () => {
    const stranger = new ScratchRepository();
    stranger.save({ 'x.md': 'x\n' });
    stranger.git('branch', '-m', BRANCH);
    await expectRefused(stage(bundleOf(stranger, BRANCH)), `The branch is not on top of ${base}`);
    stranger.save({ 'y.md': 'y\n' });
    expect((await refusal(stage(bundleOf(stranger, `${BRANCH}~1..${BRANCH}`))))[1]).toContain('not on top');
    stranger.dispose();
    // This base is newer than the one the branch was made from.
    const newer = project.repository.save({ 'newer.md': 'newer\n' });
    await project.index();
    work.save({ 'b.md': 'b\n' });
    expect((await refusal(stage(bundleOf(work, `${base}..${BRANCH}`), { base: newer })))[1]).toContain(
      'not on top',
    );
  });

  it('rejects a merge of a commit that is in the mirror but not in the base', async () => {
    // Submitted by another build: it is in the mirror, but this desk must not read it.
    work.write({ 'theirs.txt': 'secret\n' }).git('checkout', '--quiet', '-b', 'theirs');
    const theirs = work.commit();
    const other = await commits().stage(
      row,
      { branch: 'theirs', base },
      pieces(bundleOf(work, 'theirs', `^${base}`)),
    );
    await other.publish('refs/guildhall/builds/theirs');
    await other.discard();
    work.git('checkout', '--quiet', BRANCH);
    work.save({ 'mine.txt': 'mine\n' });
    work.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'theirs');
    const upon = [422, `The branch is not on top of ${base}`];
    expect(await refusal(stage(bundleOf(work, BRANCH, `^${base}`, `^${theirs}`)))).toEqual(upon);
    // A bundle that contains all of these commits itself is accepted.
    await (await stage(bundleOf(work, BRANCH, `^${base}`))).discard();
  });

  it('rejects too many prerequisite commits before running git', async () => {
    const prerequisites = (count: number) =>
      Array.from({ length: count }, (_, n) => `-${n.toString(16).padStart(40, '0')}\n`).join('');
    const header = `# v2 git bundle\n${prerequisites(1400)}${base} refs/heads/${BRANCH}\n\n`;
    const staging = stage(forge(header, packObjects([])));
    await expectRefused(staging, 'The bundle builds upon too many commits');
  });

  it('rejects too many objects before running git', async () => {
    const pack = Buffer.concat([Buffer.from('PACK'), number32(2), number32(200_001)]);
    const header = `# v2 git bundle\n-${base}\n${'1'.repeat(40)} refs/heads/${BRANCH}\n\n`;
    await expectRefused(stage(forge(header, pack)), 'The bundle holds too many objects');
  });

  it('rejects a truncated or corrupted bundle', async () => {
    work.save({ 'c.md': 'c'.repeat(5000) });
    const bundle = bundleOf(work, `${base}..${BRANCH}`);
    expect((await refusal(stage(bundle.subarray(0, bundle.length - 30))))[0]).toBe(422);
    const changed = Buffer.from(bundle);
    changed[changed.length - 25]! ^= 255;
    expect((await refusal(stage(changed)))[0]).toBe(422);
  });

  it('rejects a bundle without objects that its commits need or without the commit itself', async () => {
    work.save({ 'd.md': 'd\n' });
    const head = work.git('rev-parse', 'HEAD');
    const commit = execFileSync('git', ['cat-file', 'commit', head], { cwd: work.folder });
    const header = `# v2 git bundle\n-${base} x\n${head} refs/heads/${BRANCH}\n\n`;
    expect((await refusal(stage(forge(header, packObjects([{ type: 'commit', content: commit }])))))[0]).toBe(
      422,
    );
    expect((await refusal(stage(forge(header, packObjects([blob])))))[0]).toBe(422);
    // The head is a blob, not a commit.
    const noCommit = `# v2 git bundle\n${idOf('blob', BLOB)} refs/heads/${BRANCH}\n\n`;
    expect((await refusal(stage(forge(noCommit, packObjects([blob])))))[0]).toBe(422);
  });

  it('rejects a tag in place of the commit', async () => {
    const tag = {
      type: 'tag' as const,
      content: Buffer.from(`object ${base}\ntype commit\ntag v1\ntagger A <a@b.c> 1 +0000\n\nForged\n`),
    };
    const header = `# v2 git bundle\n-${base} x\n${idOf('tag', tag.content)} refs/heads/${BRANCH}\n\n`;
    await expectRefused(
      stage(forge(header, packObjects([tag]))),
      'The bundle does not hold the commit it names',
    );
  });

  it.each([
    ['a path that leaves the folder', entry('100644', '..', idOf('blob', BLOB))],
    ['a path with a slash', entry('100644', 'a/../../b', idOf('blob', BLOB))],
    ['the folder itself', entry('100644', '.', idOf('blob', BLOB))],
    ['the .git folder', entry('100644', '.git', idOf('blob', BLOB))],
    ['the .git folder in another case', entry('100644', '.GIT', idOf('blob', BLOB))],
    ['the short Windows name of the .git folder', entry('100644', 'git~1', idOf('blob', BLOB))],
    ['an empty name', entry('100644', '', idOf('blob', BLOB))],
    [
      'the same name twice',
      Buffer.concat([entry('100644', 'a', idOf('blob', BLOB)), entry('100644', 'a', idOf('blob', BLOB))]),
    ],
    ['an unknown mode', entry('777777', 'a', idOf('blob', BLOB))],
  ])('rejects a tree that contains %s', async (_, tree) => {
    expect((await refusal(stage(forgeTree(tree, [blob]))))[0]).toBe(422);
  });

  it.each([['/etc/passwd'], ['../outside'], ['src/../../outside'], ['.git/config'], ['.GIT/hooks']])(
    'rejects a link to %s',
    async (target) => {
      const link = blobOf(Buffer.from(target));
      const tree = entry('120000', 'link', idOf('blob', link.content));
      await expectRefused(
        stage(forgeTree(tree, [link])),
        'The symbolic link at "link" leads out of the repository',
      );
    },
  );

  it('rejects .gitmodules that run a program or are a link', async () => {
    const settings = blobOf(Buffer.from('[submodule "a"]\n\tpath = a\n\turl = --upload-pack=touch x\n'));
    const tree = entry('100644', '.gitmodules', idOf('blob', settings.content));
    expect((await refusal(stage(forgeTree(tree, [settings]))))[0]).toBe(422);
    const link = blobOf(Buffer.from('README.md'));
    expect(
      (
        await refusal(stage(forgeTree(entry('120000', '.gitmodules', idOf('blob', link.content)), [link])))
      )[0],
    ).toBe(422);
  });

  it('rejects one bad link among good ones', async () => {
    const targets = ['README.md', 'src/app.ts', '../../up', 'x'];
    const links = targets.map((target) => blobOf(Buffer.from(target)));
    const tree = Buffer.concat(
      links.map(({ content }, at) => entry('120000', `l${at}`, idOf('blob', content))),
    );
    expect((await refusal(stage(forgeTree(tree, links))))[1]).toContain('"l2" leads out');
    const long = blobOf(Buffer.from('a/'.repeat(2049)));
    const [, message] = await refusal(
      stage(forgeTree(entry('120000', 'l', idOf('blob', long.content)), [long])),
    );
    expect(message).toContain('too long');
  });

  it('rejects a link that leaves the repository through another link', async () => {
    const [up, through] = ['..', 'up/../outside'].map((target) => blobOf(Buffer.from(target)));
    const folder = {
      type: 'tree' as const,
      content: Buffer.concat([
        entry('120000', 'through', idOf('blob', through!.content)),
        entry('120000', 'up', idOf('blob', up!.content)),
      ]),
    };
    const tree = entry('40000', 'a', idOf('tree', folder.content));
    await expectRefused(
      stage(forgeTree(tree, [folder, up!, through!])),
      'The symbolic link at "a/through" leads out of the repository',
    );
  });

  it('rejects a submodule', async () => {
    await expectRefused(
      stage(forgeTree(entry('160000', 'inner', base))),
      'The branch adds a submodule at "inner"',
    );
  });

  it('rejects a small bundle that unpacks to a very large one', async () => {
    const bomb = blobOf(Buffer.alloc(260 * 1024 * 1024));
    const parts = Array.from({ length: 2 }, (_, at) => ({
      ...bomb,
      content: Buffer.concat([Buffer.from([at]), bomb.content]),
    }));
    const tree = Buffer.concat(
      parts.map(({ content }, at) => entry('100644', `bomb${at}`, idOf('blob', content))),
    );
    const bundle = forgeTree(tree, parts);
    expect(bundle.length).toBeLessThan(4 * 1024 * 1024);
    expect((await refusal(stage(bundle)))[0]).toBe(422);
  });

  it('rejects a dozen trees that expand to billions of files', async () => {
    const trees: { type: ObjectType; content: Buffer }[] = [];
    let below = entry('100644', 'file', idOf('blob', BLOB));
    for (let level = 0; level < 12; level++) {
      trees.push({ type: 'tree', content: below });
      const id = idOf('tree', below);
      below = Buffer.concat(Array.from({ length: 10 }, (_, at) => entry('40000', `d${at}`, id)));
    }
    await expectRefused(stage(forgeTree(below, [blob, ...trees])), 'The branch holds too many files');
  });
});

describe('Diff of a build', () => {
  it('returns 413 above 1 MiB and explains how to request less', async () => {
    work.write({ 'huge.txt': 'line of text\n'.repeat(100_000), 'small.txt': 'small\n' });
    const head = work.commit();
    await publish('huge');
    const error = await commits()
      .readDiff(row, base, head)
      .catch((fault: unknown) => fault as ApiError);
    expect(error).toMatchObject({
      status: 413,
      detail: { error: 'diff_too_large', limit_bytes: 1_048_576, retry_with: { path: 'huge.txt' } },
    });
    expect((error as ApiError).detail).toHaveProperty('actual_bytes');
    expect((await commits().readDiff(row, base, head, 'small.txt')).toString()).toContain('+small');
    await expect(commits().readDiff(row, base, head, 'huge.txt')).rejects.toMatchObject({
      status: 413,
      detail: { retry_with: null },
    });
  });

  it('runs no programs that the branch configures', async () => {
    const trap = join(mkdtempSync(join(tmpdir(), 'guildhall-trap-')), 'sprung');
    work.write({ '.gitattributes': '* diff=trap filter=trap\n', 'a.trap': 'a\n' });
    writeFileSync(
      join(work.folder, '.gitconfig'),
      `[diff "trap"]\n\ttextconv = touch ${trap}\n\tcommand = touch ${trap}\n`,
    );
    const head = work.commit();
    await publish('trap');
    expect((await commits().readDiff(row, base, head)).toString()).toContain('+a');
    expect(existsSync(trap)).toBe(false);
  });
});

describe('Pushing a branch', () => {
  const push = (commit: string, branch: string) => commits().push(row, { commit, branch });

  async function bring(name: string, text: string): Promise<string> {
    const head = work.save({ [name]: text });
    await publish(name);
    return head;
  }

  it('creates the branch in the repository and is idempotent', async () => {
    const head = await bring('pushed.md', 'pushed\n');
    await push(head, 'guildhall/app-7-1');
    expect(project.repository.git('rev-parse', 'refs/heads/guildhall/app-7-1')).toBe(head);
    await push(head, 'guildhall/app-7-1');
    expect(project.repository.git('status', '--porcelain')).toBe('');
  });

  it('fails permanently for an existing branch with other commits', async () => {
    const head = await bring('other.md', 'other\n');
    project.repository.git('branch', 'guildhall/app-8-1', base);
    const error = await push(head, 'guildhall/app-8-1').catch((fault: unknown) => fault as PushFailed);
    expect(error).toMatchObject({
      message: 'The branch guildhall/app-8-1 is there already with other commits',
      mayPass: false,
    });
    expect(project.repository.git('rev-parse', 'refs/heads/guildhall/app-8-1')).toBe(base);
  });

  it('runs neither hooks nor programs that the repository configures', async () => {
    const head = await bring('hooked.md', 'hooked\n');
    const trap = join(mkdtempSync(join(tmpdir(), 'guildhall-trap-')), 'sprung');
    mkdirSync(join(project.repository.folder, '.git', 'hooks'));
    for (const hook of [
      'pre-receive',
      'update',
      'post-receive',
      'post-update',
      'reference-transaction',
      'push-to-checkout',
    ])
      writeFileSync(join(project.repository.folder, '.git', 'hooks', hook), `#!/bin/sh\ntouch ${trap}\n`, {
        mode: 0o755,
      });
    project.repository.git('config', 'core.hooksPath', join(project.repository.folder, '.git', 'hooks'));
    project.repository.git('config', 'receive.denyCurrentBranch', 'updateInstead');
    project.repository.git('config', 'core.fsmonitor', `touch ${trap}`);
    await push(head, 'guildhall/app-9-1');
    expect(existsSync(trap)).toBe(false);
  });

  it('rejects a repository that contains an inner .git', async () => {
    const head = await bring('nested.md', 'nested\n');
    const inner = join(project.repository.folder, '.git', '.git');
    writeFileSync(inner, 'gitdir: /somewhere/else\n');
    const error = await push(head, 'guildhall/app-10-1').catch((fault: unknown) => fault as PushFailed);
    rmSync(inner);
    expect(error).toMatchObject({
      message: 'The repository is not wholly inside the folder of this workspace',
    });
  });

  it('fails temporarily for an unreachable repository', async () => {
    const head = await bring('away.md', 'away\n');
    const gone = { ...row, repository_url: join(project.repository.folder, '..', 'nowhere') };
    const error = await commits()
      .push(gone, { commit: head, branch: 'b' })
      .catch((fault: unknown) => fault);
    expect(error).toMatchObject({ mayPass: true });
  });
});

describe('Submitted build data', () => {
  it('is measured separately from the repository, and the mirror is recreated when it exceeds the limit', async () => {
    const head = work.save({ 'big.bin': randomBytes(300_000) });
    await publish('big');
    const mirror = createMirror(join(code.world.config.dataDir, 'mirrors'), project.id);
    const before = await mirror.measure();
    expect(before.builds).toBeGreaterThan(300_000);
    expect(before.repository).toBeLessThan(300_000);
    const small = createMirror(join(code.world.config.dataDir, 'mirrors'), project.id, {
      mostBuildBytes: 100,
    });
    await small.fetch({ url: project.repository.folder, protocols: 'file' }, null);
    expect(await mirror.hasCommit(head)).toBe(false);
    expect(await mirror.hasCommit(base)).toBe(true);
  });
});
