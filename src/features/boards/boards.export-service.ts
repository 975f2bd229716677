import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { DetailLevel } from './boards.card-fields.js';
import { cardStore } from './boards.card-store.js';
import { nameKey } from './boards.columns.js';
import { type BoardServiceOptions, openBoard } from './boards.context.js';
import { EXPORT_LIMIT_BYTES, exportTooLarge } from './boards.errors.js';
import {
  EMPTY_BODIES_BYTES,
  type ExportCard,
  renderBoardHeading,
  renderBodies,
  renderCard,
  renderColumnHeading,
} from './boards.export-markdown.js';
import { splitList } from './boards.name-list.js';
import { boardStore } from './boards.store.js';

const BATCH = 500;

export interface ExportedBoard {
  markdown: string;
  etag: string;
}

interface ExportColumn {
  id: string;
  name: string;
  cards: number;
}

/** Counts everything and keeps what may be answered: a document over the ceiling never lies in memory. */
class Document {
  #chunks: string[] = [];
  bytes = 0;

  constructor(private readonly ceiling: number) {}

  add(chunk: string): void {
    this.count(Buffer.byteLength(chunk));
    if (!this.exceeded) this.#chunks.push(chunk);
  }

  count(bytes: number): void {
    this.bytes += bytes;
    if (this.exceeded) this.#chunks = [];
  }

  get exceeded(): boolean {
    return this.bytes > this.ceiling;
  }

  get text(): string {
    return this.#chunks.join('');
  }
}

export function createExportService({ db }: BoardServiceOptions) {
  return {
    async exportBoard(
      caller: MemberCaller,
      boardId: string,
      detail: DetailLevel,
      columns: string | undefined,
    ): Promise<ExportedBoard> {
      const document = await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute((tx) => renderBoard(tx, caller, boardId, detail, splitList(columns)?.map(nameKey)));
      if (document.exceeded) throw exportTooLarge(document.bytes, detail);
      const markdown = document.text;
      return { markdown, etag: `"${createHash('sha256').update(markdown).digest('base64url')}"` };
    },
  };
}

/** One moment of the board, column by column, in batches. */
async function renderBoard(
  tx: Tx,
  caller: MemberCaller,
  boardId: string,
  detail: DetailLevel,
  columnKeys: string[] | undefined,
) {
  const board = await openBoard(tx, caller, boardId);
  const document = new Document(detail === 'summary' ? Number.POSITIVE_INFINITY : EXPORT_LIMIT_BYTES);
  document.add(renderBoardHeading(board.name, board.key));
  const columns = await boardStore(tx, caller.brandId).listColumns(boardId);
  let before = 0;
  for (const column of columns) {
    if (!columnKeys || columnKeys.includes(nameKey(column.name))) {
      document.add(renderColumnHeading(column.name, column.cards));
      await renderColumn(tx, caller, boardId, detail, { ...column, before }, document);
    }
    before += column.cards;
  }
  return document;
}

async function renderColumn(
  tx: Tx,
  caller: MemberCaller,
  boardId: string,
  detail: DetailLevel,
  column: ExportColumn & { before: number },
  document: Document,
): Promise<void> {
  const store = cardStore(tx, caller.brandId);
  const withBodies = detail === 'full';
  // Their size is known without reading them, and over the ceiling nobody will see them.
  const bodyBytes = withBodies ? await sumBodyBytes(tx, column) : 0;
  const readsBodies = withBodies && document.bytes + bodyBytes <= EXPORT_LIMIT_BYTES;
  if (withBodies && !readsBodies) document.count(bodyBytes);
  const level = detail === 'summary' ? 'summary' : 'standard';
  for (let done = 0; done < column.cards; done += BATCH) {
    const limit = Math.min(BATCH, column.cards - done);
    const { items } = await store.listCards(boardId, level, limit, column.before + done);
    const cards = items as ExportCard[];
    const bodies = readsBodies ? await store.findBodies(cards.map((card) => String(card['id']))) : undefined;
    for (const card of cards) {
      document.add(renderCard(card, detail));
      if (bodies) {
        const { instructions = null, result = null } = bodies.get(String(card['id'])) ?? {};
        document.add(renderBodies(instructions, result));
      }
    }
  }
}

async function sumBodyBytes(db: Db | Tx, { id }: ExportColumn): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(coalesce(bodies.export_bytes, ${EMPTY_BODIES_BYTES}::int)), 0) as bytes
    from cards k left join card_bodies bodies using (card_id) where k.column_id = ${id}
  `.execute(db);
  return rows[0]!.bytes;
}
