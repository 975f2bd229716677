import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database.js';

/** A table as read from the catalog, so that new tables are always included. */
interface WorkspaceTable {
  name: string;
  columns: string[];
  of(brandId: number): RawBuilder<unknown>;
}

/**
 * Tables whose rows belong to no workspace, with the reason. All others are exported and deleted with their
 * workspace.
 */
export const beyondWorkspaces: Record<string, string> = {
  brands: 'the workspace itself: exported first and deleted last',
  users: 'people belong to no workspace: its export names its members, and people are erased separately',
  mail_names: 'belong to people',
  password_resets: 'belong to people',
  password_reset_requests: 'belong to the address that was entered; deleted within an hour',
  totp_factors: 'belong to people',
  recovery_codes: 'belong to people',
  proof_codes: 'belong to people',
  oidc_accounts: 'belong to people',
  erasures: 'the record of what was erased',
  catalog_profiles: "the platform's own",
  server_secrets: "the platform's own",
  test_clock: "the platform's own",
  desk_poll_nodes: "the platform's own",
  leftover_files: 'locations of files that nothing refers to; deleted within an hour',
  job_runs: "the platform's own",
  model_prices: "the platform's own",
  replica_beats: "the platform's own",
  listening_nodes: "the platform's own",
  schema_migrations: "the platform's own",
};

async function listTimeColumns(db: Db): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and a.atttypid = 'timestamptz'::regtype
    group by c.relname`.execute(db);
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

interface ForeignKey {
  child: string;
  parent: string;
  columns: string[];
  parent_columns: string[];
}

async function readColumns(db: Db): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ name: string; columns: string[] }>`
    select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
    group by c.relname order by c.relname`.execute(db);
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

async function readForeignKeys(db: Db): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select child.relname::text as child, parent.relname::text as parent,
      (select array_agg(a.attname::text order by k.position)
       from unnest(f.conkey) with ordinality as k (number, position)
       join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.number) as columns,
      (select array_agg(a.attname::text order by k.position)
       from unnest(f.confkey) with ordinality as k (number, position)
       join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.number) as parent_columns
    from pg_constraint f
    join pg_class child on child.oid = f.conrelid
    join pg_class parent on parent.oid = f.confrelid
    where f.contype = 'f' and f.connamespace = current_schema()::regnamespace
      and f.conrelid <> f.confrelid`.execute(db);
  return [...rows, ...keptByTriggers];
}

/** References without a foreign key, which would be checked for a very large number of rows. */
const keptByTriggers: ForeignKey[] = [
  { child: 'code_nodes', parent: 'projects', columns: ['project_id'], parent_columns: ['project_id'] },
];

/** Lists tables in deletion order, so that referencing tables come first. */
export async function listWorkspaceTables(db: Db): Promise<WorkspaceTable[]> {
  const columns = await readColumns(db);
  const keys = await readForeignKeys(db);
  const found = new Map<string, WorkspaceTable>();
  const add = (name: string, of: WorkspaceTable['of']) =>
    found.set(name, { name, columns: columns.get(name)!, of });

  for (const [name, own] of columns) {
    if (own.includes('brand_id') && !(name in beyondWorkspaces))
      add(name, (brandId) => sql`brand_id = ${brandId}`);
  }
  // Tables that reference a row of the workspace, directly or indirectly, belong to it too.
  for (let grown = true; grown; ) {
    grown = false;
    for (const { child, parent, columns: from, parent_columns: to } of keys) {
      const owner = found.get(parent);
      if (!owner || found.has(child) || child in beyondWorkspaces) continue;
      add(
        child,
        (brandId) =>
          sql`(${names(from)}) in (select ${names(to)} from ${sql.table(parent)} where ${owner.of(brandId)})`,
      );
      grown = true;
    }
  }
  return childrenFirst(found, keys);
}

/** Lists tables that are neither exported nor in `beyondWorkspaces`. */
export async function listUndecidedTables(db: Db): Promise<string[]> {
  const decided = new Set((await listWorkspaceTables(db)).map(({ name }) => name));
  const all = [...(await readColumns(db)).keys()];
  return all.filter((name) => !decided.has(name) && !(name in beyondWorkspaces));
}

const names = (columns: string[]) => sql.join(columns.map((column) => sql.ref(column)));

function childrenFirst(found: Map<string, WorkspaceTable>, keys: ForeignKey[]): WorkspaceTable[] {
  const ordered: WorkspaceTable[] = [];
  const visited = new Set<string>();
  const visit = (name: string): void => {
    if (visited.has(name)) return;
    visited.add(name);
    for (const { child, parent } of keys) if (parent === name && found.has(child)) visit(child);
    ordered.push(found.get(name)!);
  };
  for (const name of found.keys()) visit(name);
  return ordered;
}

/** Words in the names of columns that hold secrets, or values from which secrets could be guessed. */
const SECRET =
  /(^|_)(password|passwd|secret|secrets|sealed|private|hash|hashes|recovery|challenge|nonce|verifier|lookup)(_|$)/;

/** Digests of public or exported data. */
const HARMLESS = new Set([
  'text_hash',
  'text_hashes',
  'body_hash',
  'masked_hash',
  'content_hash',
  'head_hash',
  'request_hash',
]);

/**
 * Secret columns are never exported. A column whose name looks like a secret counts as one unless listed
 * above.
 */
export const isSecretColumn = (column: string): boolean => SECRET.test(column) && !HARMLESS.has(column);

/** Keeps locks short. */
const ROWS_AT_ONCE = 2000;

async function deleteSome(db: Db, table: WorkspaceTable, brandId: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table.name)} where ctid = any(array(
      select ctid from ${sql.table(table.name)} where ${table.of(brandId)} limit ${ROWS_AT_ONCE}))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

/**
 * Deletes every row of a workspace in small committed batches, and the workspace last. It can be interrupted
 * and repeated. Deleting rows can create new ones, such as notes for other nodes, so it repeats until no rows
 * are left.
 */
export async function deleteWorkspaceRows(
  db: Db,
  brandId: number,
  removeWorkspace: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const tables = await listWorkspaceTables(db);
  const sweep = async (): Promise<number> => {
    let removed = 0;
    for (const table of tables) {
      for (let some = 1; some > 0; removed += some) {
        signal?.throwIfAborted();
        some = await deleteSome(db, table, brandId);
      }
    }
    return removed;
  };
  while ((await sweep()) > 0);
  await removeWorkspace();
  // Deletes rows that a job wrote in the meantime without a reference to the workspace.
  await sweep();
}

/** A reader that accepts no data for this long counts as gone, because an open transaction blocks vacuum. */
const PATIENCE_MS = 60_000;

/** Streams every row of a workspace as one line each, from one snapshot, at the reader's pace. */
export async function* readWorkspaceRows(db: Db, brandId: number): AsyncGenerator<string> {
  const tables = await listWorkspaceTables(db);
  const times = await listTimeColumns(db);
  const timesOf = (name: string) => times.get(name) ?? [];
  const selections = [
    ...heads(brandId, timesOf('brands')),
    ...tables.map((table) => rowsOf(table, brandId, timesOf(table.name))),
  ];
  const tx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute();
  let open = true;
  const end = async (how: 'commit' | 'rollback'): Promise<void> => {
    if (!open) return;
    open = false;
    await (how === 'commit' ? tx.commit() : tx.rollback()).execute();
  };
  try {
    for (const [name, rows] of selections) {
      await sql.join([sql.raw('declare exported no scroll cursor for'), rows], sql.raw(' ')).execute(tx);
      for (;;) {
        if (!open) throw new Error('The reader of an export took nothing for too long');
        // Fetches few rows at a time, because a card can have 2 MB.
        const { rows: some } = await sql.raw<{ row: string }>('fetch 20 from exported').execute(tx);
        if (some.length === 0) break;
        const patience = setTimeout(() => void end('rollback').catch(() => {}), PATIENCE_MS);
        try {
          yield some.map(({ row }) => `{"table":"${name}","row":${row}}\n`).join('');
        } finally {
          clearTimeout(patience);
        }
      }
      await sql`close exported`.execute(tx);
    }
    await end('commit');
  } finally {
    await end('rollback');
  }
}

const withoutSecrets = (columns: string[]) => columns.filter(isSecretColumn);

/** Same timestamp format as in all responses: milliseconds and UTC. */
const timeText = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Returns a row as JSON with its timestamps formatted by `timeText`. */
const rowJson = (alias: string, times: string[]) =>
  sql`to_jsonb(${sql.ref(alias)}) || jsonb_build_object(${sql.join(
    times.flatMap((name) => [sql.lit(name), timeText(`${alias}.${name}`)]),
  )})`;

const rowsOf = (table: WorkspaceTable, brandId: number, times: string[]) =>
  [
    table.name,
    sql`select ((${rowJson('t', times)}) - ${sql.lit(`{${withoutSecrets(table.columns).join(',')}}`)}::text[])::text as row
        from ${sql.table(table.name)} t where ${table.of(brandId)}`,
  ] as const;

const heads = (brandId: number, times: string[]) =>
  [
    ['brands', sql`select (${rowJson('b', times)})::text as row from brands b where brand_id = ${brandId}`],
    [
      'users',
      sql`select jsonb_build_object('user_id', u.user_id, 'email', u.email, 'full_name', u.full_name, 'kind', u.kind,
            'created_at', ${timeText('u.created_at')})::text as row
          from users u where u.user_id in (
            select user_id from memberships where brand_id = ${brandId}
            union select user_id from guest_access where brand_id = ${brandId}
            union select user_id from past_guests where brand_id = ${brandId})`,
    ],
  ] as const;
