import { sql } from 'kysely';
import type { ActorIds } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Import, ImportStatus, RowStatus } from '../imports.schemas.js';
import type { ImportRecord, Source } from '../readers/record.js';
import type { RowLinks } from '../readers/row-links.js';

export interface Found {
  states: { name: string; cards: number }[];
  people: Import['people'];
  lost: Import['lost'];
}

export interface ImportRow {
  import_id: string;
  brand_id: number;
  board_id: string;
  source: Source;
  name: string;
  status: ImportStatus;
  mapping: Record<string, string>;
  users: Record<string, string>;
  counts: Import['counts'];
  /** While an import is read: only the time of the first failure since the last progress. */
  found: Partial<Found> & { failing_since?: string };
  error: string | null;
  project_id: string | null;
  page: string | null;
  pages_read: number;
  rows_read: number;
  look_at: Date | null;
  created_by: number | null;
  created_by_agent: string | null;
  created_at: Date;
  finished_at: Date | null;
}

export interface NamedPerson {
  name: string;
  email: string | null;
  login: string | null;
}

export interface NewImport {
  importId: string;
  boardId: string;
  source: Source;
  name: string;
  projectId: string | null;
  by: ActorIds;
  at: Date;
}

export interface NewRow {
  seq: number;
  status: RowStatus;
  origin: string | null;
  record: ImportRecord | null;
  reason: string | null;
  card_id: string | null;
}

export interface ListedRow {
  seq: number;
  status: RowStatus;
  title: string | null;
  state: string | null;
  assignee: string | null;
  url: string | null;
  comments: number;
  reason: string | null;
  card_id: string | null;
}

export const importColumns = sql`import_id, brand_id, board_id, source, name, status, mapping, users, counts, found, error,
  project_id, page, pages_read, rows_read, look_at, created_by, created_by_agent, created_at, finished_at`;

export const importStore = (db: Db | Tx, brandId: number) => ({
  async insert({ importId, boardId, source, name, projectId, by, at }: NewImport): Promise<void> {
    await sql`
      insert into card_imports (import_id, brand_id, board_id, source, name, status, counts, project_id, look_at,
        created_by, created_by_agent, created_at)
      values (${importId}, ${brandId}, ${boardId}, ${source}, ${name}, 'reading',
        '{"new": 0, "known": 0, "unreadable": 0, "made": 0}', ${projectId}, ${projectId && at}::timestamptz,
        ${by.userId}, ${by.agentId}, ${at})`.execute(db);
  },

  async find(importId: string): Promise<ImportRow | undefined> {
    const { rows } = await sql<ImportRow>`
      select ${importColumns} from card_imports where import_id = ${importId} and brand_id = ${brandId}`.execute(
      db,
    );
    return rows[0];
  },

  async lock(importId: string): Promise<ImportRow | undefined> {
    const { rows } = await sql<ImportRow>`
      select ${importColumns} from card_imports where import_id = ${importId} and brand_id = ${brandId} for update`.execute(
      db,
    );
    return rows[0];
  },

  async addRows(importId: string, rows: NewRow[]): Promise<void> {
    if (rows.length === 0) return;
    await sql`
      insert into card_import_rows (import_id, brand_id, seq, status, origin, record, reason, card_id)
      select ${importId}, ${brandId}, seq, status, origin, record, reason, card_id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as r (seq int, status text, origin text, record jsonb, reason text, card_id uuid)
      on conflict do nothing`.execute(db);
  },

  async addLinks(importId: string, links: readonly RowLinks[]): Promise<void> {
    await sql`
      update card_import_rows r set parent_seq = d.parent, depth = d.depth, blocker_seqs = nullif(d.blockers, '{}'),
        missing_links = nullif(d.missing, '{}')
      from jsonb_to_recordset(${JSON.stringify(links)}::jsonb)
        as d ("row" int, parent int, depth int, blockers int[], missing text[])
      where r.import_id = ${importId} and r.brand_id + 0 = ${brandId} and r.seq = d."row"
        and r.seq = any(${links.map(({ row }) => row)}::int[])`.execute(db);
  },

  async listStoredRows(importId: string, seqs: readonly number[]): Promise<Set<number>> {
    const { rows } = await sql<{ seq: number }>`
      select seq from card_import_rows
      where import_id = ${importId} and brand_id = ${brandId} and seq = any(${[...seqs]}::int[])`.execute(db);
    return new Set(rows.map(({ seq }) => seq));
  },

  /**
   * Sets the parents of host rows by address. A cycle or more than `deepest` levels leaves parents that
   * become cards later; the card's text names those instead.
   */
  async linkByAddress(importId: string, deepest: number): Promise<void> {
    const own = sql`r.import_id = ${importId} and r.brand_id = ${brandId}`;
    await sql`
      update card_import_rows r set parent_seq = p.seq
      from card_import_rows p
      where ${own} and p.import_id = r.import_id and p.origin = r.record->>'parent' and p.seq <> r.seq`.execute(
      db,
    );
    await sql`
      update card_import_rows r set missing_links = array[r.record->>'parent']
      where ${own} and r.parent_seq is null and r.record->>'parent' is not null`.execute(db);
    for (let level = 0; level < deepest; level += 1) {
      const { numAffectedRows } = await sql`
        update card_import_rows r set depth = p.depth + 1
        from card_import_rows p
        where ${own} and p.import_id = r.import_id and p.seq = r.parent_seq and r.depth <= p.depth`.execute(
        db,
      );
      if (!numAffectedRows) return;
    }
  },

  async listMissing(importId: string, most: number): Promise<{ rows: { keys: string[] }[]; total: number }> {
    const isOne = sql`import_id = ${importId} and brand_id = ${brandId} and status = 'new' and missing_links is not null`;
    const { rows } = await sql<{ keys: string[] }>`
      select missing_links as keys from card_import_rows where ${isOne} order by seq limit ${most}`.execute(
      db,
    );
    if (rows.length < most) return { rows, total: rows.length };
    const counted = await sql<{ total: number }>`
      select count(*) as total from card_import_rows where ${isOne}`.execute(db);
    return { rows, total: counted.rows[0]!.total };
  },

  async listLost(importId: string, most: number): Promise<Found['lost']> {
    const { rows } = await sql<Found['lost'][number]>`
      select what, count(*) as cards from card_import_rows r, jsonb_array_elements_text(r.record->'lost') as what
      where r.import_id = ${importId} and r.brand_id = ${brandId} and r.status = 'new'
        and jsonb_typeof(r.record->'lost') = 'array'
      group by 1 order by 2 desc, 1 limit ${most}`.execute(db);
    return rows;
  },

  async countRows(importId: string): Promise<Import['counts']> {
    const { rows } = await sql<{ status: RowStatus; rows: number }>`
      select status, count(*) as rows from card_import_rows
      where import_id = ${importId} and brand_id = ${brandId} group by status`.execute(db);
    const counts = { new: 0, known: 0, unreadable: 0, made: 0 };
    for (const { status, rows: count } of rows) counts[status] = count;
    return counts;
  },

  async listStates(importId: string, most: number): Promise<Found['states']> {
    const { rows } = await sql<{ name: string; cards: number }>`
      select record->>'state' as name, count(*) as cards from card_import_rows
      where import_id = ${importId} and brand_id = ${brandId} and status = 'new' and record->>'state' is not null
      group by 1 order by 2 desc, 1 limit ${most}`.execute(db);
    return rows;
  },

  async listPeople(importId: string, most: number): Promise<NamedPerson[]> {
    const { rows } = await sql<NamedPerson>`
      with named as (
        select someone.person from card_import_rows r cross join lateral (
          select r.record->'assignee' as person union all select r.record->'reporter'
          union all select jsonb_array_elements(coalesce(r.record->'others', '[]'))
          union all select jsonb_array_elements(coalesce(r.record->'watchers', '[]'))
          union all select c.value->'author' from jsonb_array_elements(r.record->'comments') c
        ) someone
        where r.import_id = ${importId} and r.brand_id = ${brandId} and r.status = 'new'
          and jsonb_typeof(someone.person) = 'object'
      )
      select coalesce(min(person->>'name'), '') as name, person->>'email' as email, min(person->>'login') as login from named
      group by person->>'email', case when person->>'email' is null then coalesce(person->>'login', person->>'name') end
      order by count(*) desc, 1 limit ${most}`.execute(db);
    return rows;
  },

  async finishReading(importId: string, counts: Import['counts'], found: Found): Promise<void> {
    await sql`
      update card_imports set status = 'ready', counts = ${JSON.stringify(counts)}::jsonb,
        found = ${JSON.stringify(found)}::jsonb, error = null, look_at = null
      where import_id = ${importId} and brand_id = ${brandId} and status = 'reading'`.execute(db);
  },

  async savePage(importId: string, claim: Date, page: string, rowsRead: number): Promise<void> {
    await sql`
      update card_imports set page = ${page}, pages_read = pages_read + 1, rows_read = rows_read + ${rowsRead}, error = null, found = '{}'::jsonb
      where import_id = ${importId} and brand_id = ${brandId} and status = 'reading' and look_at = ${claim}`.execute(
      db,
    );
  },

  /** Keeps a claim that another node has taken over. */
  async release(
    importId: string,
    claim: Date,
    lookAt: Date,
    failure: { message: string; since: Date } | null = null,
  ): Promise<void> {
    const found = failure ? { failing_since: failure.since.toISOString() } : {};
    await sql`
      update card_imports set error = ${failure?.message ?? null}, look_at = ${lookAt}, found = ${JSON.stringify(found)}::jsonb
      where import_id = ${importId} and brand_id = ${brandId} and status = 'reading' and look_at = ${claim}`.execute(
      db,
    );
  },

  async start(
    importId: string,
    mapping: Record<string, string>,
    users: Record<string, string>,
    by: ActorIds,
  ): Promise<void> {
    await sql`
      update card_imports set status = 'running', mapping = ${JSON.stringify(mapping)}::jsonb,
        users = ${JSON.stringify(users)}::jsonb, error = null,
        created_by = ${by.userId}, created_by_agent = ${by.agentId}, finished_at = null
      where import_id = ${importId} and brand_id = ${brandId}`.execute(db);
  },

  async end(importId: string, status: 'done' | 'failed', error: string | null, at: Date): Promise<void> {
    await sql`
      update card_imports set status = ${status}, error = ${error}, finished_at = ${at}, look_at = null
      where import_id = ${importId} and brand_id = ${brandId}`.execute(db);
  },

  async addCounts(
    importId: string,
    { made, known, unreadable }: Omit<Import['counts'], 'new'>,
  ): Promise<void> {
    await sql`
      update card_imports set counts = jsonb_build_object(
        'new', (counts->>'new')::int - ${known + unreadable}::int, 'made', (counts->>'made')::int + ${made}::int,
        'known', (counts->>'known')::int + ${known}::int, 'unreadable', (counts->>'unreadable')::int + ${unreadable}::int)
      where import_id = ${importId} and brand_id = ${brandId}`.execute(db);
  },

  async listRows(
    importId: string,
    { status, after, limit }: { status: RowStatus | undefined; after: number; limit: number },
  ): Promise<ListedRow[]> {
    const { rows } = await sql<ListedRow>`
      select seq, status, record->>'title' as title, record->>'state' as state, record->'assignee'->>'name' as assignee,
        record->>'url' as url, coalesce(jsonb_array_length(record->'comments'), 0) as comments, reason, card_id
      from card_import_rows
      where import_id = ${importId} and brand_id = ${brandId} and seq > ${after}
        and (${status ?? null}::text is null or status = ${status ?? null})
      order by seq limit ${limit}`.execute(db);
    return rows;
  },

  async remove(importId: string): Promise<void> {
    await sql`delete from card_imports where import_id = ${importId} and brand_id = ${brandId}`.execute(db);
  },
});
