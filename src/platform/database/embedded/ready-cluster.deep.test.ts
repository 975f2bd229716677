import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { silentLog } from '../../../kernel/log.js';
import { describeMigrations } from '../schema/migrate.js';
import { startEmbeddedPostgres } from './embedded.js';
import { findReadyCluster, makeReadyCluster } from './ready-cluster.js';

let ready: string;
let dataDir: string;

beforeAll(async () => {
  await makeReadyCluster(silentLog);
  ready = (await findReadyCluster())!;
});

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'guildhall-first-'));
  await chmod(dataDir, 0o711);
});

afterEach(() => rm(dataDir, { recursive: true, force: true }));

/** Starts on an empty folder and returns the applied migrations and the mode of the data folder. */
async function firstStart(from: string | undefined) {
  const server = await startEmbeddedPostgres({ dataDir, log: silentLog, ready: from });
  const client = new pg.Client(server.connection);
  try {
    await client.connect();
    const journal = await client.query("select to_regclass('schema_migrations') is not null as present");
    const names: string[] = journal.rows[0].present
      ? (await client.query('select name from schema_migrations order by name')).rows.map(({ name }) => name)
      : [];
    return { names, mode: (await stat(join(server.folder, 'data'))).mode & 0o777 };
  } finally {
    await client.end();
    await server.stop();
  }
}

const everyMigration = async () => (await describeMigrations()).map(({ name }) => name);

it('starts from a copy of the ready database, readable only by its owner', async () => {
  expect(await firstStart(ready)).toEqual({ names: await everyMigration(), mode: 0o700 });
});

it('creates a database when there is no ready one or it cannot be copied', async () => {
  expect(await firstStart(undefined)).toEqual({ names: [], mode: 0o700 });
  await rm(dataDir, { recursive: true });
  expect(await firstStart(join(dataDir, 'nowhere'))).toEqual({ names: [], mode: 0o700 });
});

it('keeps an existing ready database and removes ready databases of other versions', async () => {
  const { ino } = await stat(ready);
  await mkdir(join(dirname(ready), 'of-another-version'));
  await makeReadyCluster(silentLog);
  expect((await stat(ready)).ino).toBe(ino);
  expect(await readdir(dirname(ready))).toEqual([basename(ready)]);
  expect((await stat(join(ready, 'PG_VERSION'))).mode & 0o044).toBe(0o044);
});
