import { execFileSync } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifyArchive } from '../src/platform/backup/archive.js';
import { makeDataDir, Program } from './support/program.js';

/** Runs backup and restore as operators do, with the embedded database. The tests run in order. */

const ADMIN_KEY = 'the-key-of-the-operator-in-tests';
const FIXTURE = join(import.meta.dirname, 'fixtures', 'guildhall-0.1.0.tar.gz');
let home: Awaited<ReturnType<typeof makeDataDir>>;
const running: Program[] = [];
const inside = (...parts: string[]) => join(home.path, ...parts);

beforeAll(async () => {
  home = await makeDataDir();
});

afterEach(async () => {
  for (const program of running.splice(0)) await program.end();
});

afterAll(() => home.remove());

function start(folder: string, args: string[] = []): Program {
  const env = { DATA_DIR: inside(folder), ADMIN_API_KEY: ADMIN_KEY, GUILDHALL_DEMO: '0', EMBEDDER: 'none' };
  const program = new Program(env, args);
  running.push(program);
  return program;
}

async function run(folder: string, ...args: string[]): Promise<{ status: number | null; output: string }> {
  const program = start(folder, args);
  return { status: await program.exited, output: program.output };
}

const operator = (address: string, path: string, payload?: object) =>
  fetch(`${address}/api/v1/admin${path}`, {
    method: payload ? 'POST' : 'GET',
    headers: { 'x-admin-key': ADMIN_KEY, ...(payload && { 'content-type': 'application/json' }) },
    body: payload && JSON.stringify(payload),
  });

async function brandNames(address: string): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await operator(
      address,
      `/brands?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    const { brands, next_cursor } = (await page.json()) as {
      brands: { name: string }[];
      next_cursor: string | null;
    };
    names.push(...brands.map(({ name }) => name));
    cursor = next_cursor;
  }
  return names;
}

const appears = (path: string) => expect.poll(() => existsSync(path), { interval: 5 }).toBe(true);
const unfinishedOf = async (file: string) =>
  (await readdir(home.path)).filter((name) => name.startsWith(file) && name.endsWith('.unfinished'));

describe('backup', () => {
  it('contains every write acknowledged before it started, while the service keeps writing', async () => {
    const program = start('data');
    const address = await program.ready();
    await writeFile(inside('data', 'outbox-note'), 'a file of the data folder');
    const written: string[] = [];
    let isOver = false;
    const write = async () => {
      while (!isOver) {
        const name = `Brand ${written.length}`;
        expect((await operator(address, '/brands', { name })).status).toBe(201);
        written.push(name);
      }
    };
    const writing = write();
    await expect.poll(() => written.length).toBeGreaterThan(20);
    const before = [...written];
    const { status, output } = await run('data', 'backup', inside('first.tar'));
    expect(output).toMatch(/Copying the database\nCopying files\nBacked up \d+ rows and \d+ files/);
    expect(status).toBe(0);
    const during = written.length;
    await expect.poll(() => written.length).toBeGreaterThan(during);
    isOver = true;
    await writing;
    expect((await stat(inside('first.tar'))).mode & 0o777).toBe(0o600);

    const refused = await run('data', 'restore', inside('first.tar'));
    expect(refused).toMatchObject({ status: 1, output: expect.stringContaining('is already running on') });
    expect(await program.end()).toBe(0);

    expect((await run('restored', 'restore', inside('first.tar'))).output).toMatch(/Restored \d+ rows/);
    const names = (await brandNames(await start('restored').ready())).sort();
    expect(names).toEqual(expect.arrayContaining(before));
    // The backup is a snapshot: a prefix of the writes, with no gaps.
    expect(names).toEqual(written.slice(0, names.length).sort());
    expect(await readFile(inside('restored', 'outbox-note'), 'utf8')).toBe('a file of the data folder');
  });

  it('works while the service is stopped, and refuses to overwrite a file', async () => {
    expect((await run('data', 'backup', inside('second.tar'))).status).toBe(0);
    expect((await run('data', 'backup', inside('second.tar'))).output).toContain('exists already');
  });

  it('leaves no file under the final name after kill -9, and can be repeated', async () => {
    const program = start('data', ['backup', inside('killed.tar')]);
    await expect.poll(() => unfinishedOf('killed.tar'), { interval: 5 }).toHaveLength(1);
    program.signal('SIGKILL');
    await program.exited;
    expect(existsSync(inside('killed.tar'))).toBe(false);
    expect((await run('data', 'backup', inside('killed.tar'))).status).toBe(0);
  });

  it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'reports a full disk, leaves no file on it, and the service stays up (skipped without permission to mount)',
    async () => {
      const address = await start('data').ready();
      await mkdir(inside('disk'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', inside('disk')]);
      try {
        const { status, output } = await run('data', 'backup', inside('disk', 'backup.tar'));
        expect(output).toContain('there is no space left. Nothing was left behind.');
        expect(status).toBe(1);
        expect(await readdir(inside('disk'))).toEqual([]);
      } finally {
        execFileSync('umount', [inside('disk')]);
      }
      expect((await fetch(`${address}/api/v1/system/health`)).status).toBe(200);
    },
  );
});

describe('restore', () => {
  it('changes nothing when the archive is truncated', async () => {
    const whole = await readFile(inside('second.tar'));
    await writeFile(inside('cut.tar'), whole.subarray(0, whole.length - 700));
    const { status, output } = await run('untouched', 'restore', inside('cut.tar'), '--force');
    expect(output).toContain('is no whole backup of Guildhall');
    expect(status).toBe(1);
    expect(existsSync(inside('untouched'))).toBe(false);
  });

  it('after kill -9 blocks the next start with a clear message, and can be repeated', async () => {
    const program = start('again', ['restore', inside('second.tar')]);
    await appears(inside('again', '.restore', 'data', 'postgres', 'data', 'postmaster.pid'));
    program.signal('SIGKILL');
    await program.exited;
    const refused = await run('again');
    expect(refused.output).toMatch(
      /Guildhall cannot start: A restore into \S+ was not finished: run it again/,
    );
    expect(refused.status).toBe(1);

    expect((await run('again', 'restore', inside('second.tar'))).output).toMatch(/Restored \d+ rows/);
    expect(await readdir(inside('again'))).not.toContain('.restore');
    expect(await brandNames(await start('again').ready())).toContain('Brand 0');
  });

  it('refuses a folder with data without --force, and with it keeps the old folder under another name', async () => {
    expect((await run('again', 'restore', inside('first.tar'))).output).toContain('is not empty');
    expect((await run('again', 'restore', inside('first.tar'), '--force')).status).toBe(0);
    const [aside] = (await readdir(home.path)).filter((name) => name.startsWith('again.before-restore-'));
    const [old, present] = [await start(aside!).ready(), await start('again').ready()];
    expect((await brandNames(old)).length).toBeGreaterThan((await brandNames(present)).length);
  });

  it('lets only one of two concurrent restores succeed and gives the other an error', async () => {
    const outcomes = await Promise.all(
      ['first.tar', 'second.tar'].map((file) => run('both', 'restore', inside(file))),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual([0, 1]);
    expect(outcomes.map(({ output }) => output).join()).toMatch(/already running on|is not empty/);
    expect(await brandNames(await start('both').ready())).toContain('Brand 0');
  });
});

describe('A data folder of version 0.1.0', () => {
  it('is migrated: people, cards, memories, lessons and desks remain, reviews become comments, and builds are counted', async () => {
    await pipeline(createReadStream(FIXTURE), createGunzip(), createWriteStream(inside('0.1.0.tar')));
    expect((await run('old', 'restore', inside('0.1.0.tar'))).output).toMatch(/Restored \d+ rows/);
    const program = start('old');
    const address = await program.ready();
    await program.says(/0332_review_queue\.sql/);
    const signedIn = await fetch(`${address}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@acme.example', password: 'guildhall-demo' }),
    });
    expect(signedIn.status).toBe(200);
    const cookie = signedIn.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    const read = async (path: string) => {
      const answer = await fetch(`${address}/api/v1${path}`, { headers: { cookie } });
      expect(answer.status, `${path}: ${await answer.clone().text()}`).toBe(200);
      return (await answer.json()) as Record<string, { build_id: string }[]>;
    };
    const { manifest } = await verifyArchive(inside('0.1.0.tar'));
    const kept = new Map(manifest.database.tables.map(({ table, rows }) => [table[1], rows]));
    const exported = (
      await Promise.all([1, 2].map(async (id) => (await operator(address, `/brands/${id}/export`)).text()))
    ).join('');
    for (const table of [
      'memberships',
      'cards',
      'card_comments',
      'memories',
      'lessons',
      'desks',
      'builds',
      'hires',
    ]) {
      const rows = exported.split(`{"table":"${table}",`).length - 1;
      expect([table, rows]).toEqual([table, kept.get(table)]);
    }
    const ended = exported.matchAll(/"table":"build_tallies","row":\{.*?"builds": ?(\d+)/g);
    expect([...ended].reduce((sum, [, builds]) => sum + Number(builds), 0)).toBe(kept.get('builds'));
    expect((await read('/board/master/tasks?limit=50'))['items']).toHaveLength(50);
    const { builds = [] } = await read('/factory/builds?review=rework');
    expect(builds).toHaveLength(1);
    const { comments } = await read(`/factory/builds/${builds[0]!.build_id}/comments`);
    expect(comments).toHaveLength(2);
    expect(JSON.stringify(comments)).toMatch(/Say which lamp is meant.*One sentence is enough/);
  });
});
