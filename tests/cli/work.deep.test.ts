import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PASSWORD } from '../support/app.js';
import { type BuildWorld, type Furnished, startBuildWorld } from '../support/build-world.js';
import { ScratchRepository } from '../support/scratch-repository.js';
import { type CliWorld, startCliWorld } from './cli-world.js';

let world: BuildWorld;
let room: Furnished;
let cli: CliWorld;
let clone: string;

beforeAll(async () => {
  world = await startBuildWorld();
  room = await world.furnish();
  cli = await startCliWorld(world);
});
afterAll(() => cli?.stop());

beforeEach(() => {
  clone = join(new ScratchRepository().folder, 'clone');
  room.repository.git('clone', '--quiet', room.repository.folder, clone);
});

const env = () => ({
  GUILDHALL_TOKEN: room.space.token,
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@acme.example',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@acme.example',
});
const guildhall = (args: string[], cwd = clone, more: Record<string, string> = {}) =>
  cli.guildhall(args, { cwd, env: { ...env(), ...more } });

interface Taken {
  build_id: string;
  path: string;
  branch: string;
  attempt: number;
}

async function take(ref: string, cwd = clone, ...more: string[]): Promise<Taken> {
  const ran = await guildhall(['work', ref, ...more, '--json'], cwd);
  expect(ran.code, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout) as Taken;
}

/** Git and guildhall commands in the given folder. */
const inside = (path: string) => {
  const at = Object.assign(Object.create(ScratchRepository.prototype), { folder: path }) as ScratchRepository;
  return {
    write: (files: Record<string, string>) => at.write(files),
    git: (...args: string[]) => at.git(...args),
    commit: (message: string) => {
      at.git('add', '--all');
      at.git('commit', '--quiet', '-m', message);
    },
  };
};

describe('guildhall work', () => {
  it("creates a worktree on the card's branch with the brief in it, and moves the card", async () => {
    room.repository.save({ 'later.md': 'After the clone was made.\n' });
    const card = await room.card();
    const ran = await guildhall(['work', card.ref]);
    expect(ran.code, ran.stderr).toBe(0);
    const path = join(dirname(clone), `clone-${card.ref.toLowerCase()}-1`);
    expect(ran.stdout).toContain(`cd ${path}`);
    expect(ran.stdout).toContain('guildhall done');
    expect(existsSync(join(path, 'later.md'))).toBe(true);
    expect(readFileSync(join(path, '.guildhall/brief.md'), 'utf8')).toContain(card.ref);
    expect(inside(path).git('status', '--porcelain')).toBe('');
    expect(inside(path).git('branch', '--show-current')).toBe(`guildhall/${card.ref.toLowerCase()}-1`);
    expect(await room.readCard(card.id)).toMatchObject({ status: 'in_progress' });
  });

  it('continues the open build on a second run, also if its worktree was deleted', async () => {
    const card = await room.card();
    const first = await take(card.ref, clone, '--path', '../elsewhere');
    expect(basename(first.path)).toBe('elsewhere');
    expect(await take(card.ref)).toMatchObject({ build_id: first.build_id, path: first.path });
    inside(clone).git('worktree', 'remove', '--force', first.path);
    const again = await take(card.ref);
    expect(again).toMatchObject({ build_id: first.build_id, branch: first.branch });
    expect(again.path).not.toBe(first.path);
  });

  it('--drop returns the card', async () => {
    const card = await room.card();
    const { path, build_id } = await take(card.ref);
    const refused = await guildhall(['work', '--drop', '--remove'], path);
    expect([refused.code, refused.stderr.split('\n').slice(0, 2)]).toEqual([
      2,
      [
        `guildhall: You are in ${path}, which --remove deletes; nothing was done`,
        `  Go to the repository first: cd ${clone} && guildhall work ${card.ref} --drop --remove`,
      ],
    ]);
    expect(await room.get(build_id)).toMatchObject({ status: 'running' });
    const dropped = await guildhall(['work', card.ref, '--drop', '--remove']);
    expect([dropped.code, dropped.stdout]).toEqual([0, `Dropped ${card.ref}.\n`]);
    expect(existsSync(path)).toBe(false);
    expect(await room.get(build_id)).toMatchObject({ status: 'canceled' });
    expect(await room.readCard(card.id)).toMatchObject({ status: 'pending' });
    expect((await guildhall(['work', '--drop'])).stderr).toContain('No card to drop');
    expect((await take(card.ref)).attempt).toBe(2);
  });

  it('reports an error for an unknown card, no checkout, a working desk or another project', async () => {
    const card = await room.card();
    const said = async (args: string[], cwd?: string) => {
      const { code, stderr } = await guildhall(args, cwd);
      return [code, stderr.split('\n')[0]];
    };
    expect(await said(['work'])).toEqual([2, 'guildhall: Missing card']);
    expect(await said(['work', card.ref], cli.home)).toEqual([2, 'guildhall: Not in a git checkout']);
    const build = await room.build(card.id);
    expect(await said(['work', card.ref])).toEqual([1, `guildhall: A desk is already building ${card.ref}`]);
    await room.call('POST', `/api/v1/factory/builds/${build.build_id}/cancel`);
    const other = new ScratchRepository(
      join(world.config.repositoriesDir, String(room.space.brand.brand_id), 'other'),
    );
    const made = await room.call('POST', '/api/v1/projects', {
      name: 'Other',
      repository: { url: other.folder },
    });
    expect(made.status).toBe(201);
    inside(clone).git('remote', 'set-url', 'origin', other.folder);
    expect(await said(['work', card.ref])).toEqual([
      2,
      `guildhall: ${card.ref} belongs to project Code, but this checkout does not`,
    ]);
  });

  it('writes the brief only inside the worktree', async () => {
    const outside = join(dirname(clone), 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(room.repository.folder, '.guildhall'));
    room.repository.commit('a link');
    const card = await room.card();
    const ran = await guildhall(['work', card.ref]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('is a link');
    expect(existsSync(join(outside, 'brief.md'))).toBe(false);
    room.repository.remove('.guildhall').commit('no link');
  });
});

describe('guildhall done', () => {
  it('submits the commits and shows where to follow the build', async () => {
    const card = await room.card();
    const { path, build_id } = await take(card.ref);
    inside(path).write({ 'notes.md': 'Better.\n' });
    inside(path).commit('Say it better');
    const ran = await guildhall(['done'], path);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toBe(
      `Submitted ${card.ref}, attempt 1, as succeeded: 1 files, +1 -0\n${cli.url}/dashboard/builds/${build_id}\n`,
    );
    expect(existsSync(path)).toBe(true);
    expect(await room.get(build_id)).toMatchObject({ status: 'succeeded', result: 'Say it better' });
    expect(await room.readCard(card.id)).toMatchObject({ status: 'in_review' });
  });

  it('--remove refuses to delete the current folder, and deletes the worktree from the main checkout', async () => {
    const card = await room.card();
    const { path, build_id } = await take(card.ref);
    inside(path).write({ 'deep/down/notes.md': 'Better.\n' });
    inside(path).commit('Say it better');
    for (const at of [path, join(path, 'deep/down')]) {
      const refused = await guildhall(['done', '--remove'], at);
      expect([refused.code, refused.stderr.split('\n').slice(0, 2)]).toEqual([
        2,
        [
          `guildhall: You are in ${path}, which --remove deletes; nothing was done`,
          `  Go to the repository first: cd ${clone} && guildhall done ${card.ref} --remove`,
        ],
      ]);
    }
    expect(existsSync(path)).toBe(true);
    expect(await room.get(build_id)).toMatchObject({ status: 'running', head_sha: null });
    expect((await guildhall(['done', 'NONE-1', '--remove'])).stderr).toContain('has no worktree of NONE-1');
    const ran = await guildhall(['done', card.ref.toLowerCase(), '--remove']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(existsSync(path)).toBe(false);
    expect(await room.get(build_id)).toMatchObject({ status: 'succeeded', result: 'Say it better' });
  });

  it('lists and refuses uncommitted changes, and commits them with --all', async () => {
    const card = await room.card();
    const { path, build_id } = await take(card.ref);
    const nothing = await guildhall(['done'], path);
    expect([nothing.code, nothing.stderr.split('\n')[0]]).toEqual([2, 'guildhall: No commits to submit']);
    inside(path).write({ 'new.md': 'New.\n', 'src/main.ts': 'export const answer = 43;\n' });
    const refused = await guildhall(['done'], path);
    expect([refused.code, refused.stderr.split('\n')[0]]).toEqual([
      2,
      'guildhall: Uncommitted changes: src/main.ts, new.md',
    ]);
    expect(await room.get(build_id)).toMatchObject({ status: 'running', head_sha: null });
    const ran = await guildhall(['done', '--all', '--message', 'Answers 43'], path);
    expect(ran.code, ran.stderr).toBe(0);
    expect(inside(path).git('log', '-1', '--format=%s')).toBe(`${card.ref}: Answers 43`);
    expect(await room.get(build_id)).toMatchObject({ result: 'Answers 43', diff: { files: 2 } });
  });

  it('refuses commits that contain the token which connect created for an agent', async () => {
    const card = await room.card();
    const { path } = await take(card.ref);
    const signIn = ['login', '--url', cli.url, '--email', room.space.admin.email, '--password', '-'];
    expect((await cli.guildhall(signIn, { stdin: PASSWORD })).code).toBe(0);
    // Without an exported token.
    const stored = { GUILDHALL_TOKEN: '' };
    const connected = await guildhall(['connect', 'claude'], clone, stored);
    expect(connected.code, connected.stderr).toBe(0);
    const config = readFileSync(join(cli.nobody.XDG_CONFIG_HOME, 'guildhall', 'config.json'), 'utf8');
    const [token] = /guild_pat_[\w-]+/.exec(config)!;
    inside(path).write({ '.env': `TOKEN=${token}\n` });
    inside(path).commit('With a token');
    const refused = await guildhall(['done'], path, stored);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('contain one of your Guildhall tokens'),
    ]);
    expect((await guildhall(['logout', '--all'])).code).toBe(0);
  });

  it('--failed reports the reason, with or without commits', async () => {
    const card = await room.card();
    const { path, build_id } = await take(card.ref);
    const ran = await guildhall(['done', '--failed', 'The table is missing'], path);
    expect(ran.code, ran.stderr).toBe(0);
    expect(await room.get(build_id)).toMatchObject({ status: 'failed', reason: 'The table is missing' });
    const again = await guildhall(['done', '--failed', 'Another reason'], path);
    expect(again.code).toBe(1);
  });

  it('refuses commits that contain a token of this sign-in, even if a later commit removes it', async () => {
    const card = await room.card();
    const { path, build_id } = await take(card.ref);
    inside(path).write({ '.env': `TOKEN=${room.space.token}\n` });
    inside(path).commit('With a token');
    inside(path).write({ '.env': 'TOKEN=\n' });
    inside(path).commit('Without');
    const refused = await guildhall(['done'], path);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('contain one of your Guildhall tokens');
    expect(refused.stderr).not.toContain(room.space.token);
    expect(await room.get(build_id)).toMatchObject({ status: 'running', head_sha: null });
  });

  it("finds the card by the worktree's branch", async () => {
    expect((await guildhall(['done'])).stderr).toContain('Not in the worktree of a card');
    const card = await room.card();
    const { path, branch } = await take(card.ref);
    inside(path).git('checkout', '--quiet', '-b', 'mine');
    const strayed = await guildhall(['done'], path);
    expect(strayed.stderr).toContain(`The worktree is on mine, but the branch of the card is ${branch}`);
  });
});
