import { mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createEmptyDatabase,
  createTestDatabase,
  dropDatabase,
  type TestDatabase,
} from '../../../tests/support/database.js';
import { moveRepositories } from '../../features/projects/restored-repositories.js';
import { systemClock } from '../../kernel/clock.js';
import { silentLog } from '../../kernel/log.js';
import type { EmbeddedConnection } from '../database/embedded/embedded.js';
import { migrate } from '../database/schema/migrate.js';
import { createArchive, verifyArchive } from './archive.js';
import { makeBackup } from './backup.js';
import { restoreBackup } from './restore.js';

/**
 * Uses a database given by DATABASE_URL. tests/backup.deep.test.ts covers the embedded database and killed
 * processes.
 */

const progress = { begin() {}, update() {}, end() {} };
const shared = { version: '1.2.3', clock: systemClock, progress };
let folder: string;
let source: TestDatabase;
let target: EmbeddedConnection;
let file: string;
let forged = 0;
const inside = (...parts: string[]) => join(folder, ...parts);
const urlOf = ({ host, user, database }: EmbeddedConnection) =>
  `postgres://${user}@${encodeURIComponent(host)}/${database}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guildhall-backup-'));
  source = await createTestDatabase();
  await fillDatabase(source.pool);
  await mkdir(inside('data', 'images', 'empty'), { recursive: true });
  await mkdir(inside('data', 'backups'));
  await mkdir(inside('data', 'postgres'));
  await writeFile(inside('data', 'secrets-key'), 'a key\n', { mode: 0o600 });
  await writeFile(inside('data', 'images', 'a.png'), Buffer.alloc(5_000_000, 'pixels'));
  await writeFile(inside('data', 'backups', 'older.tar'), 'a backup');
  await writeFile(inside('data', 'postgres', 'PG_VERSION'), '18');
  await symlink('../secrets-key', inside('data', 'images', 'link'));
  await symlink(inside('data', 'images'), inside('data', 'images', 'absolute'));
  await symlink('/etc', inside('data', 'images', 'outside'));
  await mkdir(inside('data', 'repositories', '1', 'nested', '1', 'app'), { recursive: true });
  file = inside('backup.tar');
  await backUp(file);
});

afterAll(async () => {
  await source.drop();
  await rm(folder, { recursive: true, force: true });
});

const backUp = (to: string, changes: { dataDir?: string; databaseUrl?: string | undefined } = {}) => {
  const dataDir = inside('data');
  const folders = {
    agentsDir: '/srv/agents',
    sourcesDir: `${dataDir}/sources`,
    repositoriesDir: `${dataDir}/r`,
  };
  const places = { dataDir, databaseUrl: urlOf(source.connection), ...changes };
  return makeBackup({ ...shared, file: to, config: { images: 'disk', ...folders, ...places } });
};

const restore = (dataDir: string, { force = false, from = file } = {}) =>
  restoreBackup({
    ...shared,
    file: from,
    force,
    config: { dataDir, databaseUrl: urlOf(target), repositoriesDir: join(dataDir, 'repositories') },
    moveRepositories,
  });

const REPOSITORIES = {
  absolute: '/old/1/data/repositories/1/nested',
  deep: '/old/data/repositories/1/nested/1/app/',
  relative: 'nested',
  gone: '/old/data/repositories/1/gone',
  'of another': '/old/data/repositories/2/nested',
  remote: 'https://code.example/nested.git',
};

const INSERT_BRAND =
  "insert into brands (name, plan, scope_ceiling, created_at) values ($1, 'team', '{}', '2026-01-01')";
const INSERT_USERS = `insert into users (email, full_name, kind, created_at)
  select 'user' || n || '@acme.example', 'Ada ' || n, 'person', '2026-01-01' from generate_series($1::int, $2::int) n`;

async function fillDatabase(pool: pg.Pool): Promise<void> {
  await pool.query(INSERT_BRAND, ['Acme \\N\t\n\\.']);
  await pool.query(INSERT_USERS, [1, 900]);
  await pool.query(
    "insert into server_secrets (name, value) select 'large ' || n, repeat(md5(n::text), 30000) from generate_series(1, 10) n",
  );
  for (const [name, url] of Object.entries(REPOSITORIES))
    await pool.query(
      `insert into projects (project_id, brand_id, name, repository_url, created_at, updated_at)
       values (gen_random_uuid(), 1, $1, $2, '2026-01-01', '2026-01-01')`,
      [name, url],
    );
  await pool.query("select graphile_worker.add_job('erase', '{}')");
  await pool.query("update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a worker'");
}

async function ask(
  connection: EmbeddedConnection,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

const OUTSIDE_LINK = () =>
  `the link ${inside('data', 'images', 'outside')}, which leads out of the data folder`;

const CONTENT = `select (select string_agg(name, ',') from brands) as brands,
  (select md5(string_agg(u::text, ',' order by user_id)) from users u) as users,
  (select md5(string_agg(s::text, ',' order by name)) from server_secrets s) as secrets,
  (select count(*)::int from graphile_worker._private_jobs) as jobs,
  (select count(*)::int from pg_constraint where connamespace = 'public'::regnamespace) as constraints,
  (select count(*)::int from pg_trigger where tgenabled <> 'O') as sleeping,
  (select md5(string_agg(indexdef, ',' order by indexdef)) from pg_indexes where schemaname = 'public') as indexes`;

describe('Backup', () => {
  it('lists version, migrations, row counts, digests and what it leaves out', async () => {
    const { manifest } = await verifyArchive(file);
    expect(manifest).toMatchObject({
      format: 1,
      guildhall: '1.2.3',
      left_out: ['/srv/agents', OUTSIDE_LINK()],
    });
    expect(manifest.database.migrations[0]!.name).toBe('0001_identity.sql');
    const named = (name: string) => manifest.database.tables.find(({ table }) => table[1] === name)!;
    expect(named('users').rows).toBe(900);
    expect(named('server_secrets').parts).toBeGreaterThan(1);
    for (const { sha256 } of manifest.members) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('leaves out the database files and other backups', async () => {
    const names = (await verifyArchive(file)).entries.map(({ entry }) => entry.name);
    expect(names.filter((name) => name.startsWith('files/'))).toEqual(
      expect.arrayContaining(['files/secrets-key', 'files/images/empty', 'files/images/link']),
    );
    expect(names.join()).not.toMatch(/postgres|older/);
  });

  it('is refused when the file exists or the database is unreachable', async () => {
    await expect(backUp(file)).rejects.toThrow('exists already');
    const away = { databaseUrl: 'postgres://nobody@127.0.0.1:1/none' };
    await expect(backUp(inside('none.tar'), away)).rejects.toThrow('The database cannot be reached');
    const nowhere = { dataDir: inside('nothing'), databaseUrl: undefined };
    await expect(backUp(inside('none.tar'), nowhere)).rejects.toThrow('There is no database in');
    expect((await readdir(folder)).filter((name) => name.startsWith('none'))).toEqual([]);
  });
});

describe('Restore', () => {
  afterEach(() => dropDatabase(target));

  it('restores rows, references, sequences, jobs and files', async () => {
    target = await createEmptyDatabase();
    const summary = await restore(inside('new'));
    expect(summary).toMatchObject({ aside: {}, leftOut: ['/srv/agents', OUTSIDE_LINK()] });
    expect(await ask(target, CONTENT)).toEqual(await ask(source.connection, CONTENT));
    await ask(target, INSERT_USERS, [901, 901]);
    expect(await ask(target, 'select max(user_id) as last from users')).toEqual([{ last: 901 }]);
    // The worker that held the lock no longer exists.
    expect(await ask(target, 'select locked_at, locked_by from graphile_worker._private_jobs')).toEqual([
      { locked_at: null, locked_by: null },
    ]);
    expect((await readdir(inside('new'))).sort()).toEqual(['images', 'repositories', 'secrets-key']);
    expect(await readlink(inside('new', 'images', 'absolute'))).toBe('.');
    expect((await readdir(inside('new', 'images'))).sort()).toEqual(['a.png', 'absolute', 'empty', 'link']);
    expect((await readFile(inside('new', 'images', 'link'), 'utf8')).trim()).toBe('a key');
    expect(await readdir(inside('new', 'images', 'empty'))).toEqual([]);
    // A restored database needs no further migrations.
    await migrate({ connection: target, log: silentLog });
  });

  it('rewrites the addresses of local repositories to the new folder and lists the missing ones', async () => {
    target = await createEmptyDatabase();
    const { lostRepositories } = await restore(inside('moved'));
    const projects = await ask(target, 'select name, repository_url as url from projects');
    expect(Object.fromEntries(projects.map(({ name, url }) => [name, url]))).toEqual({
      ...REPOSITORIES,
      absolute: '1/nested',
      deep: '1/nested/1/app',
    });
    expect(lostRepositories.map(({ project }) => project).sort()).toEqual(['gone', 'of another']);
    expect(lostRepositories).toContainEqual({ project: 'gone', brandId: 1, url: REPOSITORIES.gone });
  });

  it.each([
    ['leads out of the folder', [['out', '../..']]],
    [
      'leads out of the folder through another link',
      [
        ['a/b/c/on', '../../../x'],
        ['a/b/c/out', 'on/../..'],
      ],
    ],
    ['is absolute', [['out', '/etc']]],
    ['leads nowhere', [['out', '']]],
    [
      'lies inside another link',
      [
        ['in', 'a'],
        ['in/out', 'x'],
      ],
    ],
  ])('refuses a backup with a link that %s and writes nothing', async (_, links) => {
    target = await createEmptyDatabase();
    const { manifest } = await verifyArchive(file);
    const from = inside(`links-${++forged}.tar`);
    const archive = await createArchive(from, 1);
    const plain = { mode: 0o755, modified: 1, target: '' };
    for (const folderName of ['a', 'a/b', 'a/b/c', 'x'])
      await archive.add({ ...plain, name: `files/${folderName}`, kind: 'folder' }, Buffer.alloc(0));
    for (const [name, to] of links as [string, string][])
      await archive.add({ ...plain, name: `files/${name}`, kind: 'link', target: to }, Buffer.alloc(0));
    await archive.finish({ ...manifest });
    await expect(restore(inside('linked'), { from })).rejects.toThrow(
      /holds a link that leads out of the data folder|holds something behind a link/,
    );
    expect(await readdir(inside('linked'))).toEqual([]);
  });

  it('refuses a filled database or folder without --force, and keeps the old data under another name with it', async () => {
    target = await createEmptyDatabase();
    await migrate({ connection: target, log: silentLog });
    await ask(target, INSERT_BRAND, ['Old']);
    await ask(target, 'create table keepsakes (id int)');
    await mkdir(inside('filled'));
    await expect(restore(inside('filled'))).rejects.toThrow('There are tables in this database already');
    await writeFile(inside('filled', 'note'), 'old');
    await expect(restore(inside('filled'))).rejects.toThrow('is not empty');
    expect(await ask(target, 'select name from brands')).toEqual([{ name: 'Old' }]);

    const { aside } = await restore(inside('filled'), { force: true });
    expect(await ask(target, CONTENT)).toEqual(await ask(source.connection, CONTENT));
    expect(await ask(target, `select name from ${aside.schema}.brands`)).toEqual([{ name: 'Old' }]);
    expect(await ask(target, `select to_regclass('${aside.schema}.keepsakes') is not null as kept`)).toEqual([
      { kept: true },
    ]);
    expect(await readFile(join(aside.folder!, 'note'), 'utf8')).toBe('old');
    expect(aside.folder).toMatch(/filled\.before-restore-\d{4}-/);
    expect((await readdir(inside('filled'))).sort()).toEqual(['images', 'repositories', 'secrets-key']);
  });

  it('is refused while a service or another restore uses the database', async () => {
    target = await createEmptyDatabase();
    const node = new pg.Client({ ...target, application_name: 'guildhall' });
    await node.connect();
    await expect(restore(inside('busy'))).rejects.toThrow('Guildhall is running on this database');
    await node.end();
    // The server may still be closing the session.
    const nodes = `select from pg_stat_activity where application_name = 'guildhall' and datname = current_database()`;
    await expect.poll(() => ask(target, nodes)).toEqual([]);
    // A restore that was refused and has not disconnected yet must not block the others.
    const late = new pg.Client({ ...target, application_name: 'guildhall-restore' });
    await late.connect();
    const outcomes = await Promise.allSettled([restore(inside('one')), restore(inside('two'))]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await late.end();
  });

  it('refuses a backup of a newer version or with paths outside the folder, with a clear message', async () => {
    target = await createEmptyDatabase();
    const { manifest } = await verifyArchive(file);
    const newer = { name: '9999_future.sql', checksum: 'x' };
    const forge = async (name: string, database: typeof manifest.database, member: string) => {
      const archive = await createArchive(inside(name), 1);
      await archive.add(
        { name: member, kind: 'file', mode: 0o644, modified: 1, target: '' },
        Buffer.from('x'),
      );
      await archive.finish({ ...manifest, database });
      return inside(name);
    };
    const migrations = [...manifest.database.migrations, newer];
    const from = await forge('newer.tar', { ...manifest.database, migrations }, 'files/a');
    await expect(restore(inside('newer'), { from })).rejects.toThrow(
      /made by Guildhall 1\.2\.3, which is newer/,
    );
    for (const [index, name] of [
      '../escaped',
      '/etc/escaped',
      'a/../../escaped',
      '.restore/ready.json',
    ].entries()) {
      const outside = await forge(`outside-${index}.tar`, manifest.database, `files/${name}`);
      await expect(restore(inside('outside'), { from: outside })).rejects.toThrow(
        'has no place in a data folder',
      );
    }
    expect(await readdir(inside('outside'))).toEqual([]);
    expect(await ask(target, 'select from pg_tables where schemaname = $$public$$')).toEqual([]);
  });
});
