import { sql } from 'kysely';
import type { Db } from '../database.js';
import {
  isSecretColumn,
  listTimeColumns,
  listWorkspaceTables,
  type WorkspaceTable,
} from './workspace-tables.js';

/** Few enough that no statement holds its locks for long. */
const ROWS_AT_ONCE = 2000;

/** One batch; how many rows there were. */
async function deleteSome(db: Db, table: WorkspaceTable, brandId: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from ${sql.table(table.name)} where ctid = any(array(
      select ctid from ${sql.table(table.name)} where ${table.of(brandId)} limit ${ROWS_AT_ONCE}))`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

/**
 * Removes every row of a workspace, in small steps that each commit, and the workspace last. It can stop anywhere and be
 * begun again. Removing rows can make new ones (what is gone is noted for other nodes), so it goes round until there are none.
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
  // What a pass that was under way wrote where nothing refers to the workspace.
  await sweep();
}

/** A reader who takes nothing for so long is gone; an open transaction keeps the database from tidying up. */
const PATIENCE_MS = 60_000;

/** Every row of a workspace as one line each, as they were at one moment; read no faster than they are taken. */
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
        // Few at a time: a card can have two megabytes.
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

/** As every answer writes it: the database's own spelling has microseconds and an offset. */
const timeText = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A row with its times in our spelling. */
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

/** The workspace itself, and the people who are or were in it. */
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
