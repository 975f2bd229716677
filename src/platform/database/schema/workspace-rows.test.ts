import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/support/database.js';
import {
  beyondWorkspaces,
  isSecretColumn,
  listUndecidedTables,
  listWorkspaceTables,
} from './workspace-rows.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Reviewed names that look like secrets and are not. */
const HARMLESS_NAMES = [
  'build_questions.key',
  'code_deploy_keys.public_key',
  'code_facts.fact_key',
  'code_host_keys.host_key',
  'code_project_credentials.former_public_key',
  'code_project_credentials.public_key',
  'coder_profile_changes.profile_key',
  'coder_profile_overrides.profile_key',
  'audit_log.actor_token_id',
  'audit_log.credential',
  'board_columns.name_key',
  'spend_entries.tokens_in',
  'spend_entries.tokens_out',
  'spend_tallies.tokens_in',
  'spend_tallies.tokens_out',
  'board_retired_keys.key',
  'boards.key',
  'builds.tokens_in',
  'builds.tokens_out',
  'cards.tokens_in',
  'cards.tokens_out',
  'desks.credentials',
  'desks.image_key',
  'desks.mesh_public_key',
  'idempotency_keys.key',
  'memberships.photo_key',
  'tokens.token_id',
];

describe('Tables of a workspace', () => {
  it('are all listed as exported and removed with the workspace, or as exempt with a reason', async () => {
    expect(await listUndecidedTables(database.db)).toEqual([]);
    const { rows } = await database.pool.query(
      'select tablename from pg_tables where schemaname = current_schema() and tablename = any($1)',
      [Object.keys(beyondWorkspaces)],
    );
    expect(rows).toHaveLength(Object.keys(beyondWorkspaces).length);
  });

  it('are ordered so that no row is removed before the rows that refer to it', async () => {
    const order = (await listWorkspaceTables(database.db)).map(({ name }) => name);
    const { rows } = await database.pool.query(`
      select conrelid::regclass::text as child, confrelid::regclass::text as parent
      from pg_constraint where contype = 'f' and conrelid <> confrelid`);
    const both = rows.filter(({ child, parent }) => order.includes(child) && order.includes(parent));
    expect(both.length).toBeGreaterThan(20);
    for (const { child, parent } of both)
      expect(order.indexOf(child), `${child} before ${parent}`).toBeLessThan(order.indexOf(parent));
  });

  it('have an index on their workspace', async () => {
    const { rows } = await database.pool.query(`
      select c.relname from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'brand_id' and not a.attisdropped
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not exists (
        select from pg_index i where i.indrelid = c.oid and i.indkey[0] = a.attnum and i.indpred is null)`);
    expect(rows.map(({ relname }) => relname)).toEqual([]);
  });
});

describe('Secret columns', () => {
  it('are never exported', async () => {
    const tables = await listWorkspaceTables(database.db);
    const columns = tables.flatMap(({ name, columns: own }) => own.map((column) => `${name}.${column}`));
    const secret = columns.filter((column) => isSecretColumn(column.split('.')[1]!));
    for (const known of [
      'tokens.token_hash',
      'sessions.secret_hash',
      'desks.token_hash',
      'desks.token_lookup',
      'invitations.token_hash',
      'invitation_grants.token_hash',
      'code_deploy_keys.private_key',
      'code_project_credentials.former_private_key',
      'code_project_credentials.private_key',
      'code_project_credentials.sealed_token',
    ])
      expect(secret).toContain(known);
    const doubtful = columns.filter(
      (column) =>
        !secret.includes(column) && /token|key|secret|pass|seal|cred|cipher|otp/.test(column.split('.')[1]!),
    );
    expect(doubtful.filter((column) => !HARMLESS_NAMES.includes(column))).toEqual([]);
  });
});
