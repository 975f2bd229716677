import type { MemberCaller } from '../../../kernel/access.js';
import { CursorCodec } from '../../../kernel/cursor.js';
import { newId } from '../../../kernel/ids.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { entryTime, recordActivity, writerOf } from '../activity/activity.js';
import { notifyOfChanges } from '../activity/notices.js';
import {
  type BoardServiceOptions,
  lockBoard,
  lockBoardOfCard,
  openBoard,
  readOfBoard,
  requireLevel,
} from '../board/board-access.js';
import { boardStore } from '../board/boards.store.js';
import { cardNotFound, guestLevelTooLow, notACursor, pageBesideCursor } from '../boards.errors.js';
import { deletionOf, describeCreation, filledCardRow, shortenChanges } from './card-changes.js';
import { type DetailLevel, type FieldName, namesAt } from './card-fields.js';
import {
  type CardValues,
  checkCardInput,
  readPlace,
  readValues,
  requireOpenFields,
  resolveReferences,
} from './card-input.js';
import { type CardPage, type CardPageStore, cardPageStore } from './card-pages.store.js';
import { type CardInput, type CardListQuery, type FullCard, readChosen } from './cards.schemas.js';
import { cardStore } from './cards.store.js';
import { chosenFieldStore } from './chosen-fields.store.js';

/** Upper bound for long texts in memory at once. */
const AT_ONCE_BYTES = 8 * 1024 * 1024;

export interface ListedPage extends CardPage {
  page: number;
  per_page: number;
  /** Only for requests with a cursor. */
  next_cursor?: string | null;
}

/** Groups the cards of a page so that the long texts of a group fit into memory. */
export async function planRuns(
  db: Db,
  brandId: number,
  cards: { id: string }[],
): Promise<{ id: string }[][]> {
  const sizes = await cardPageStore(db, brandId).findBodySizes(cards.map(({ id }) => id));
  const runs: { id: string }[][] = [[]];
  let bytes = 0;
  for (const card of cards) {
    const size = sizes.get(card.id) ?? 0;
    if (bytes > 0 && bytes + size > AT_ONCE_BYTES) {
      runs.push([]);
      bytes = 0;
    }
    runs.at(-1)!.push(card);
    bytes += size;
  }
  return runs;
}

/** Writes a large page card by card, so that other requests are not blocked. */
export async function* writePage(
  db: Db,
  brandId: number,
  runs: { id: string }[][],
  { items: _items, ...rest }: ListedPage,
): AsyncGenerator<string> {
  yield '{"items":[';
  let separator = '';
  for (const run of runs) {
    for (const card of await cardPageStore(db, brandId).addBodies(run)) {
      yield separator + JSON.stringify(card);
      separator = ',';
    }
  }
  yield `],${JSON.stringify(rest).slice(1)}`;
}

const MOST_FINISHED = 200;

export interface FinishedQuery {
  brandId: number;
  agentId: string;
  after?: { updatedAt: Date; id: string };
  limit?: number;
}

export async function getCard(db: Db | Tx, caller: MemberCaller, cardId: string) {
  const found = await cardStore(db, caller.brandId).findCard(cardId);
  if (!found) throw cardNotFound();
  return found;
}

export function createCardService(options: BoardServiceOptions) {
  const { db, clock, cursorSecret } = options;
  const cursorsOf = (boardId: string) => new CursorCodec(cursorSecret, `cards:${boardId}`);

  async function saveLongParts(tx: Tx, caller: MemberCaller, cardId: string, values: CardValues) {
    const store = cardStore(tx, caller.brandId);
    const { instructions, result, blocked_by } = values as Partial<FullCard>;
    if (typeof instructions === 'string' || typeof result === 'string')
      await store.saveBodies(cardId, { instructions: instructions ?? null, result: result ?? null });
    if (blocked_by?.length) await store.saveBlockers(cardId, blocked_by);
  }

  function addChosen(caller: MemberCaller, cards: { id: string }[], more: readonly FieldName[]) {
    const ids = cards.map(({ id }) => id);
    const names = [...namesAt('summary'), ...more];
    return chosenFieldStore(db, caller.brandId).listChosen(ids, names) as Promise<{ id: string }[]>;
  }

  function readCursor(boardId: string, { page, cursor }: CardListQuery): number | undefined {
    if (cursor === undefined) return undefined;
    if (page > 1) throw pageBesideCursor();
    if (cursor === '') return 0;
    const number = cursorsOf(boardId.toLowerCase()).decode(cursor);
    if (typeof number !== 'number') throw notACursor('cursor');
    return number;
  }

  async function listNumbered(
    store: CardPageStore,
    boardId: string,
    detail: DetailLevel,
    { page, per_page }: CardListQuery,
  ): Promise<ListedPage> {
    const { items, total } = await store.listCards(boardId, detail, per_page, (page - 1) * per_page);
    return { items, total, page, per_page };
  }

  /** Sorted by number, which never changes, so that moved cards are neither skipped nor repeated. */
  async function listAfter(
    store: CardPageStore,
    boardId: string,
    detail: DetailLevel,
    { page, per_page }: CardListQuery,
    after: number,
  ): Promise<ListedPage> {
    // One card more than requested shows whether another page follows.
    const found = await store.listCardsAfter(boardId, detail, per_page + 1, after);
    const items = found.items.slice(0, per_page);
    const last = found.items.length > per_page ? found.numbers[per_page - 1] : undefined;
    const next_cursor = last === undefined ? null : cursorsOf(boardId.toLowerCase()).encode(last);
    return { items, total: found.total, page, per_page, next_cursor };
  }

  return {
    /** The page, or its JSON in pieces when the long texts are too large for memory. */
    async listCards(
      caller: MemberCaller,
      boardId: string,
      detail: DetailLevel,
      query: CardListQuery,
    ): Promise<ListedPage | AsyncGenerator<string>> {
      const more = readChosen(query.with, namesAt(detail));
      const after = readCursor(boardId, query);
      const store = cardPageStore(db, caller.brandId);
      const listed = await readOfBoard(db, caller, boardId, {
        read: () =>
          after === undefined
            ? listNumbered(store, boardId, detail, query)
            : listAfter(store, boardId, detail, query, after),
        isEmpty: ({ items }) => items.length === 0,
      });
      const { items } = listed;
      if (more.length > 0) return { ...listed, items: await addChosen(caller, items, more) };
      if (detail !== 'full' || items.length === 0) return listed;
      const runs = await planRuns(db, caller.brandId, items);
      if (runs.length > 1) return writePage(db, caller.brandId, runs, listed);
      return { ...listed, items: await store.addBodies(items) };
    },

    async getCard(caller: MemberCaller, cardId: string): Promise<FullCard> {
      const { card, guestWritten } = await getCard(db, caller, cardId);
      if (caller.role === 'guest') await openBoard(db, caller, card.board_id);
      const isMarked = caller.kind === 'build' && guestWritten.length > 0;
      return isMarked ? { ...card, from_guest: guestWritten } : card;
    },

    /** Without an access check, for other features. */
    async findCardToBuild(brandId: number, cardId: string, within: Db | Tx = db) {
      const found = await cardStore(within, brandId).findCard(cardId);
      return found && { card: found.card, guestWritten: found.guestWritten };
    },

    async permitCard(caller: MemberCaller, boardId: string, input: CardInput): Promise<void> {
      const board = await openBoard(db, caller, boardId);
      requireLevel(caller, board.guest_level, 'editor', 'make cards');
      requireOpenFields(caller, input);
    },

    async createCard(caller: MemberCaller, boardId: string, input: CardInput): Promise<FullCard> {
      checkCardInput(input, options);
      return inTransaction(db, async (tx) => {
        const board = await lockBoard(tx, caller, boardId);
        requireLevel(caller, board.guest_level, 'editor', 'make cards');
        requireOpenFields(caller, input);
        const columns = await boardStore(tx, caller.brandId).listColumns(boardId);
        const people = await resolveReferences(tx, caller, boardId, input);
        const first = columns[0]!;
        const place = readPlace(input, columns, { column: first, status: first.status })();

        const cardId = newId();
        const number = board.last_number + 1;
        const at = entryTime(board, clock);
        const values = readValues(input, people, { number });
        const { brandId, userId: reporterId } = caller;
        const byGuest = caller.role === 'guest';
        const created = describeCreation(values, place);
        const card = { cardId, boardId, brandId, number, reporterId, place, at, byGuest };
        await cardStore(tx, brandId).insertCard(filledCardRow(card, values));
        await saveLongParts(tx, caller, cardId, values);
        await recordActivity(options, tx, writerOf(caller), board, at, {
          action: 'task.created',
          changes: shortenChanges(created),
          task: { id: cardId, ref: `${board.key}-${number}`, version: 1 },
          lastNumber: number,
        });
        await notifyOfChanges(options, tx, caller, [
          { place: { boardId, taskId: cardId, at }, changed: created },
        ]);
        return (await getCard(tx, caller, cardId)).card;
      });
    },

    async deleteCard(caller: MemberCaller, cardId: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        const board = await lockBoardOfCard(tx, caller, cardId);
        requireLevel(caller, board.guest_level, 'viewer', 'open it');
        if (caller.role === 'guest') throw guestLevelTooLow('delete cards');
        const { card } = await getCard(tx, caller, cardId);
        await cardStore(tx, caller.brandId).deleteCard(cardId);
        await recordActivity(options, tx, writerOf(caller), board, entryTime(board, clock), {
          action: 'task.deleted',
          changes: deletionOf({ title: card.title, status: card.status, column: card.column.name }),
          task: card,
        });
      });
    },

    /** Done cards of an agent by last change, after the given card. Omits texts written by guests. */
    listFinishedCards: ({ brandId, agentId, after, limit = 100 }: FinishedQuery) =>
      cardStore(db, brandId).listFinished(agentId, after, Math.min(limit, MOST_FINISHED)),
  };
}
