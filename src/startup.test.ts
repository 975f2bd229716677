import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../tests/support/database.js';
import { readConfig } from './config/config.js';
import { silentLog } from './kernel/log.js';
import { readSecretsKeys } from './startup.js';

let database: TestDatabase;
const folders: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(() => sql`delete from server_secrets`.execute(database.db));
afterAll(async () => {
  await database.drop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-keys-'));
  folders.push(folder);
  return folder;
}

const keysOf = (dataDir: string, environment: Record<string, string> = {}) =>
  readSecretsKeys(readConfig({ DATA_DIR: dataDir, ...environment }), database, silentLog);

const shared = { DATABASE_URL: 'postgres://elsewhere/guildhall' };
const given = 'a configured key of at least 32 characters';

const inDatabase = async () => (await sql`select name from server_secrets`.execute(database.db)).rows;

describe('SECRETS_KEY', () => {
  it('is created on the first start in DATA_DIR, readable only by the service', async () => {
    const folder = await newFolder();
    const [key, ...others] = await keysOf(folder);
    expect(key.length).toBeGreaterThanOrEqual(32);
    expect(others).toEqual([]);
    expect((await readFile(join(folder, 'secrets-key'), 'utf8')).trim()).toBe(key);
    expect((await stat(join(folder, 'secrets-key'))).mode & 0o777).toBe(0o600);
    expect(await keysOf(folder)).toEqual([key]);
    expect(await inDatabase()).toEqual([]);
  });

  it('is the same for all nodes that share a database', async () => {
    const [one, other] = [await newFolder(), await newFolder()];
    const made = await keysOf(one, shared);
    expect(await keysOf(other, shared)).toEqual(made);
    expect((await readFile(join(other, 'secrets-key'), 'utf8')).trim()).toBe(made[0]);
  });

  it('a node that joins with its own key can still open secrets sealed with it', async () => {
    const [one, other] = [await newFolder(), await newFolder()];
    const [own] = await keysOf(other);
    const [common] = await keysOf(one, shared);
    expect(await keysOf(other, shared)).toEqual([common, own]);
  });

  it('when configured seals, is not stored, and earlier keys still open', async () => {
    const fresh = await newFolder();
    expect(await keysOf(fresh, { ...shared, SECRETS_KEY: given })).toEqual([given]);
    await expect(stat(join(fresh, 'secrets-key'))).rejects.toThrow();
    expect(await inDatabase()).toEqual([]);

    const [made] = await keysOf(await newFolder(), shared);
    const folder = await newFolder();
    await writeFile(join(folder, 'secrets-key'), 'an older one\n');
    expect(await keysOf(folder, { ...shared, SECRETS_KEY: given })).toEqual([given, 'an older one', made]);
  });
});
