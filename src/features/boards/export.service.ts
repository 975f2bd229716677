import { createHash } from 'node:crypto';
import type { MemberCaller } from '../../kernel/access.js';
import { yieldRegularly } from '../../kernel/async.js';
import type { Tx } from '../../platform/database/database.js';
import { attachmentUrl } from './attachments/attachments.service.js';
import { attachmentStore } from './attachments/attachments.store.js';
import { type BoardServiceOptions, openBoard } from './board/board-access.js';
import { boardStore } from './board/boards.store.js';
import { nameKey } from './board/columns.js';
import { splitList } from './board/text.js';
import { EXPORT_LIMIT_BYTES, exportTooLarge } from './boards.errors.js';
import type { DetailLevel } from './cards/card-fields.js';
import { cardPageStore } from './cards/card-pages.store.js';
import {
  EMPTY_BODIES_BYTES,
  type ExportCard,
  renderBoardHeading,
  renderBodies,
  renderCard,
  renderColumnHeading,
  renderFiles,
} from './cards/export-markdown.js';

const BATCH = 500;

export interface ExportedBoard {
  markdown: string;
  etag: string;
}

interface ExportColumn {
  id: string;
  cards: number;
  /** The number of cards in the columns before it. */
  before: number;
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
      if (document.isExceeded()) throw exportTooLarge(document.countBytes(), detail);
      const markdown = document.readText();
      return { markdown, etag: `"${createHash('sha256').update(markdown).digest('base64url')}"` };
    },
  };
}

async function renderBoard(
  tx: Tx,
  caller: MemberCaller,
  boardId: string,
  detail: DetailLevel,
  columnKeys: string[] | undefined,
) {
  const board = await openBoard(tx, caller, boardId);
  const document = createDocument(detail === 'summary' ? Number.POSITIVE_INFINITY : EXPORT_LIMIT_BYTES);
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
  column: ExportColumn,
  document: ExportDocument,
): Promise<void> {
  const store = cardPageStore(tx, caller.brandId);
  const withBodies = detail === 'full';
  // Long texts are not read when they would exceed the limit.
  const bodyBytes = withBodies ? await store.sumBodyBytes(column.id, EMPTY_BODIES_BYTES) : 0;
  const readsBodies = withBodies && document.countBytes() + bodyBytes <= EXPORT_LIMIT_BYTES;
  if (withBodies && !readsBodies) document.count(bodyBytes);
  const level = detail === 'summary' ? 'summary' : 'standard';
  const otherTurns = yieldRegularly();
  for (let done = 0; done < column.cards; done += BATCH) {
    const limit = Math.min(BATCH, column.cards - done);
    const { items } = await store.listCards(boardId, level, limit, column.before + done);
    const cards = items as ExportCard[];
    const bodies = readsBodies ? await store.findBodies(cards.map(({ id }) => id)) : undefined;
    const files = level === 'standard' ? await findFiles(tx, caller, cards) : undefined;
    for (const card of cards) {
      await otherTurns();
      document.add(renderCard(card, level));
      document.add(renderFiles(files?.get(card.id) ?? []));
      if (bodies) document.add(renderBodies(bodies.get(card.id) ?? {}));
    }
  }
}

async function findFiles(tx: Tx, caller: MemberCaller, cards: ExportCard[]) {
  const files = new Map<string, { name: string; url: string }[]>();
  const holding = cards.filter((card) => Number(card['attachment_count']) > 0).map(({ id }) => id);
  if (holding.length === 0) return files;
  for (const { id, card_id, name } of await attachmentStore(tx, caller.brandId).listNames(holding))
    files.set(card_id, [...(files.get(card_id) ?? []), { name, url: attachmentUrl(card_id, id) }]);
  return files;
}

/** Keeps no text once the limit is exceeded, but continues counting bytes. */
function createDocument(ceiling: number) {
  let chunks: string[] = [];
  let bytes = 0;
  const isExceeded = () => bytes > ceiling;

  function count(more: number): void {
    bytes += more;
    if (isExceeded()) chunks = [];
  }

  return {
    count,
    add(chunk: string): void {
      count(Buffer.byteLength(chunk));
      if (!isExceeded()) chunks.push(chunk);
    },
    isExceeded,
    countBytes: (): number => bytes,
    readText: (): string => chunks.join(''),
  };
}

export type ExportDocument = ReturnType<typeof createDocument>;
