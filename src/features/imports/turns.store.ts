import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import { type ImportRow, importColumns } from './imports.store.js';
import type { ImportRecord } from './readers/record.js';

export interface OpenImport {
  import_id: string;
  brand_id: number;
}

/** Across workspaces, for the pass alone: imports that are being made, or read from a host and due. */
export async function listOpenImports(
  db: Db,
  status: 'running' | 'reading',
  now: Date,
  most: number,
): Promise<OpenImport[]> {
  const { rows } = await sql<OpenImport>`
    select import_id, brand_id from card_imports
    where status = ${status} and (${status} = 'running' or look_at <= ${now})
    order by created_at limit ${most}`.execute(db);
  return rows;
}

/** What nobody looks at any more: rows hold names and addresses of people. */
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
  /** Once that row is a card. */
  parent_card_id: string | null;
}

const MOST_BYTES = 1_000_000;

/** What one turn of an import reads and writes; each in the transaction that makes the cards. */
export const turnStore = (tx: Tx, brandId: number) => ({
  /** Undefined where another node has it, or it is no longer being made. */
  async claim(importId: string): Promise<ImportRow | undefined> {
    const { rows } = await sql<ImportRow>`
      select ${importColumns} from card_imports
      where import_id = ${importId} and brand_id = ${brandId} and status = 'running'
      for update skip locked`.execute(tx);
    return rows[0];
  },

  /** Parents come before their children. So many, and no more than can be written without keeping others waiting. */
  async takeRows(importId: string, most: number): Promise<WaitingRow[]> {
    const { rows } = await sql<WaitingRow>`
      with waiting as (
        select seq, depth, origin, record, parent_seq, octet_length(record::text) as bytes from card_import_rows
        where import_id = ${importId} and brand_id = ${brandId} and status = 'new'
        order by depth, seq limit ${most}
      ), measured as (
        select *, sum(bytes) over (order by depth, seq) - bytes as before from waiting
      )
      select m.seq, coalesce(m.origin, '') as origin, coalesce(m.record, '{}') as record, m.parent_seq,
        above.card_id as parent_card_id
      from measured m
      left join card_import_rows above
        on above.import_id = ${importId} and above.brand_id = ${brandId} and above.seq = m.parent_seq
      where m.before < ${MOST_BYTES}
      order by m.depth, m.seq`.execute(tx);
    return rows;
  },

  /** Notes the origins that are new to the board, and answers them: what was there before is not taken again. */
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

  async settle(
    importId: string,
    rows: { seq: number; status: string; card_id: string | null; reason: string | null }[],
  ) {
    await sql`
      update card_import_rows r set status = s.status, card_id = s.card_id, reason = s.reason
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s (seq int, status text, card_id uuid, reason text)
      where r.import_id = ${importId} and r.brand_id = ${brandId} and r.seq = s.seq`.execute(tx);
  },
});

/** What has come to the board before, by what it is known by. */
export async function findImported(
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
