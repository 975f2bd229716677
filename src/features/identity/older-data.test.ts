import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEmptyDatabase, dropDatabase } from '../../../tests/support/database.js';
import { silentLog } from '../../kernel/log.js';
import { migrate } from '../../platform/database/schema/migrate.js';

const ALL = fileURLToPath(new URL('../../platform/database/migrations', import.meta.url));

let connection: Awaited<ReturnType<typeof createEmptyDatabase>>;
let client: pg.Client;

/** Creates a database in the state before migration 0160 added account names, with people in it. */
beforeAll(async () => {
  connection = await createEmptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'guildhall-older-'));
  for (const name of await readdir(ALL)) if (name < '0160') await cp(join(ALL, name), join(folder, name));
  await migrate({ connection, log: silentLog, folder });
  await rm(folder, { recursive: true });
  client = new pg.Client(connection);
  await client.connect();
  await client.query(`
    insert into brands (name, plan, scope_ceiling, created_at) values ('Acme', 'team', '{}', now());
    insert into users (email, full_name, kind, created_at) values
      ('Ada@Example.test', 'Ada', 'person', now()), ('straße@example.test', 'Bea', 'person', now()),
      ('cleo@example.test', 'Cleo', 'person', now()), ('dina@example.test', 'Dina', 'person', now());
    insert into invitations (brand_id, email, token_hash, status, created_at, expires_at)
      values (1, 'NEW@example.test', 'x', 'pending', now(), now()), (1, 'ÄNNE@example.test', 'y', 'pending', now(), now());
    insert into guest_access (brand_id, user_id, kind, resource_id, role, created_at)
      values (1, 1, 'docs', gen_random_uuid(), 'viewer', now());
    insert into audit_log (at, brand_id, actor_kind, action, subject, details) values
      (now(), 1, 'pat', 'guest.invited', 'user:1', '{}'), (now(), 1, 'pat', 'guest.invited', 'user:2', '{}'),
      (now(), 1, 'pat', 'guest.invited', 'board:0198c5a0-0000-7000-8000-000000000000', '{"user_id": 3}'),
      (now(), 1, 'pat', 'guest.invited', 'user:999', '{}'), (now(), null, 'pat', 'guest.invited', 'user:4', '{}'),
      (now(), 1, 'pat', 'member.changed', 'user:4', '{}');`);
  await migrate({ connection, log: silentLog });
});
afterAll(async () => {
  await client.end();
  await dropDatabase(connection);
});

const column = async (text: string) => (await client.query({ text, rowMode: 'array' })).rows.flat();

it('migration adds account names to people and invitations with ASCII addresses only', async () => {
  const people = await column('select account_name from users order by user_id');
  expect(people).toEqual(['ada@example.test', null, 'cleo@example.test', 'dina@example.test']);
  expect(await column('select account_name from invitations order by id')).toEqual([
    'new@example.test',
    null,
  ]);
});

it('migration records current and former guests as past guests', async () => {
  expect(await column('select user_id from past_guests order by user_id')).toEqual([1, 2, 3]);
});
