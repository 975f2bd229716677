import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { completeRecord, type ImportRecord } from '../readers/record.js';
import { type ImportRow, importColumns } from './imports.store.js';

export interface OpenImport {
  import_id: string;
  brand_id: number;
}

interface WorkspacePosition {
  after: number;
  busy: readonly number[];
}

/** For background jobs, so across all workspaces. */
export const openImports = (db: Db) => ({
  /** Lists running imports of the first workspace after `after` that is not in `busy`. */
  async listRunning(
    { after, busy }: WorkspacePosition,
    passedOver: readonly string[],
    most: number,
  ): Promise<OpenImport[]> {
    const isOpen = sql`status = 'running' and import_id <> all(${[...passedOver]}::uuid[])`;
    const { rows } = await sql<OpenImport>`
      select import_id, brand_id from card_imports
      where ${isOpen} and brand_id = (
        select brand_id from card_imports
        where ${isOpen} and brand_id > ${after} and brand_id <> all(${[...busy]}::int[])
        order by brand_id limit 1)
      order by created_at limit ${most}`.execute(db);
    return rows;
  },

  /** Other nodes may take over after `leaseEnd`. */
  async claimHost(
    { after, busy }: WorkspacePosition,
    now: Date,
    leaseEnd: Date,
  ): Promise<ImportRow | undefined> {
    const { rows } = await sql<ImportRow>`
      update card_imports set look_at = ${leaseEnd}
      where import_id = (
        select import_id from card_imports
        where status = 'reading' and look_at <= ${now} and brand_id > ${after} and brand_id <> all(${[...busy]}::int[])
        order by brand_id, look_at limit 1 for update skip locked)
      returning ${importColumns}`.execute(db);
    return rows[0];
  },
});

/** Old imports are deleted because their rows contain names and addresses of people. */
export async function removeOldImports(
  db: Db,
  { before, unread }: { before: Date; unread: Date },
): Promise<number> {
  const { rows } = await sql<{ import_id: string }>`
    delete from card_imports where import_id in (
      select import_id from card_imports
      where created_at < ${unread} and (created_at < ${before} and status <> 'running'
        or status = 'reading' and project_id is null)
      limit 20
    ) returning import_id`.execute(db);
  return rows.length;
}

export interface WaitingRow {
  seq: number;
  origin: string;
  record: ImportRecord;
  parent_seq: number | null;
  parent_card_id: string | null;
  blocker_seqs: number[];
  missing_links: string[];
}

const MOST_BYTES = 1_000_000;

/** Must run in the transaction that creates the cards. */
export const batchStore = (tx: Tx, brandId: number) => ({
  async claim(importId: string): Promise<ImportRow | undefined> {
    const { rows } = await sql<ImportRow>`
      select ${importColumns} from card_imports
      where import_id = ${importId} and brand_id = ${brandId} and status = 'running'
      for update skip locked`.execute(tx);
    return rows[0];
  },

  /**
   * Returns parents before their children, at most about 1 MB of records. `brand_id + 0` and the subquery for
   * parents keep the planner from reading all rows of the import for each batch when statistics are missing.
   */
  async takeRows(importId: string, most: number): Promise<WaitingRow[]> {
    const { rows } = await sql<WaitingRow>`
      with waiting as (
        select seq, depth, origin, record, parent_seq, blocker_seqs, missing_links from card_import_rows
        where import_id = ${importId} and brand_id + 0 = ${brandId} and status = 'new'
        order by depth, seq limit ${most}
      ), measured as (
        select *, sum(octet_length(record::text)) over (order by depth, seq) - octet_length(record::text) as before from waiting
      )
      select m.seq, coalesce(m.origin, '') as origin, coalesce(m.record, '{}') as record, m.parent_seq,
        (select above.card_id from card_import_rows above
          where above.import_id = ${importId} and above.brand_id + 0 = ${brandId} and above.seq = m.parent_seq) as parent_card_id,
        coalesce(m.blocker_seqs, '{}') as blocker_seqs, coalesce(m.missing_links, '{}') as missing_links
      from measured m
      where m.before < ${MOST_BYTES}
      order by m.depth, m.seq`.execute(tx);
    return rows.map((row) => ({ ...row, record: completeRecord(row.record) }));
  },

  async findCards(importId: string, seqs: readonly number[]): Promise<Map<number, string>> {
    if (seqs.length === 0) return new Map();
    const { rows } = await sql<{ seq: number; card_id: string }>`
      select seq, card_id from card_import_rows
      where import_id = ${importId} and brand_id = ${brandId} and seq = any(${[...seqs]}::int[]) and card_id is not null`.execute(
      tx,
    );
    return new Map(rows.map(({ seq, card_id }) => [seq, card_id]));
  },

  async takeOrigins(
    boardId: string,
    cards: { origin: string; card_id: string }[],
    at: Date,
  ): Promise<Set<string>> {
    const { rows } = await sql<{ origin: string }>`
      insert into imported_cards (brand_id, board_id, origin, card_id, created_at)
      select ${brandId}, ${boardId}, origin, card_id, ${at}
      from jsonb_to_recordset(${JSON.stringify(cards)}::jsonb) as c (origin text, card_id uuid)
      on conflict do nothing returning origin`.execute(tx);
    return new Set(rows.map(({ origin }) => origin));
  },

  async saveResults(
    importId: string,
    rows: { seq: number; status: string; card_id: string | null; reason: string | null }[],
  ) {
    await sql`
      update card_import_rows r set status = s.status, card_id = s.card_id, reason = s.reason
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (seq int, status text, card_id uuid, reason text)
      where r.import_id = ${importId} and r.brand_id + 0 = ${brandId} and r.seq = s.seq
        and r.seq = any(${rows.map(({ seq }) => seq)}::int[])`.execute(tx);
  },
});

export async function findImportedCards(
  db: Db | Tx,
  brandId: number,
  boardId: string,
  origins: string[],
): Promise<Map<string, string>> {
  if (origins.length === 0) return new Map();
  const { rows } = await sql<{ origin: string; card_id: string }>`
    select origin, card_id from imported_cards
    where brand_id = ${brandId} and board_id = ${boardId} and origin = any(${origins}::text[])`.execute(db);
  return new Map(rows.map(({ origin, card_id }) => [origin, card_id]));
}
