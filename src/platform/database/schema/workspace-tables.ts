import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../database.js';

/** Which tables hold rows of a workspace is read from the catalog, so that a new table cannot be forgotten. */
export interface WorkspaceTable {
  name: string;
  columns: string[];
  /** What picks the rows of one workspace. */
  of(brandId: number): RawBuilder<unknown>;
}

/** Tables whose rows belong to no workspace, and why. Every other one is exported with its workspace and removed with it. */
export const beyondWorkspaces: Record<string, string> = {
  brands: 'the workspace itself: first in its export, and the last that goes',
  users:
    'people stand above workspaces; those of a workspace are named in its export, and erased on their own',
  mail_names: 'belong to people',
  password_resets: 'belong to people',
  password_reset_requests: 'of whoever typed a name; they go within the hour',
  totp_factors: 'belong to people',
  recovery_codes: 'belong to people',
  proof_codes: 'belong to people',
  oidc_accounts: 'belong to people',
  erasures: 'the record of what was erased',
  catalog_profiles: "the platform's own",
  server_secrets: "the platform's own",
  test_clock: "the platform's own",
  desk_poll_nodes: "the platform's own",
  leftover_files: 'where bytes lie that belong to nothing any more; they go within the hour',
  job_runs: "the platform's own",
  model_prices: "the platform's own",
  replica_beats: "the platform's own",
  listening_nodes: "the platform's own",
  schema_migrations: "the platform's own",
};

/** The columns of each table that hold an instant. */
export async function listTimeColumns(db: Db): Promise<Map<string, string[]>> {
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

/** What refers to others without a constraint, which would be checked for every row of very many. */
const keptByTriggers: ForeignKey[] = [
  { child: 'code_nodes', parent: 'projects', columns: ['project_id'], parent_columns: ['project_id'] },
];

/** In the order in which their rows can go: what refers to others comes before them. */
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
  // Whatever refers to a row of the workspace is the workspace's too, however many steps away.
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

/** Tables of which nothing says to whom their rows belong. */
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

/** Words in the name of a column that holds a secret, or what a secret could be guessed from. */
const SECRET =
  /(^|_)(password|passwd|secret|secrets|sealed|private|hash|hashes|recovery|challenge|nonce|verifier|lookup)(_|$)/;

/** Digests of what is public or in the export anyway. */
const HARMLESS = new Set([
  'text_hash',
  'text_hashes',
  'body_hash',
  'masked_hash',
  'content_hash',
  'head_hash',
  'request_hash',
]);

/** Left out of every export: a name that sounds like a secret is one unless it is known to be none. */
export const isSecretColumn = (column: string): boolean => SECRET.test(column) && !HARMLESS.has(column);
