import type { MemberCaller } from '../../../kernel/access.js';
import { CursorCodec } from '../../../kernel/cursor.js';
import { newId } from '../../../kernel/ids.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { entryTime, recordHappening, writerOf } from '../activity/happenings.js';
import { lockBoard, lockBoardOfCard, openBoard, readOfBoard, requireLevel } from '../board/board-access.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { boardStore } from '../board/boards.store.js';
import { cardNotFound, guestLevelTooLow, notACursor, pageBesideCursor } from '../boards.errors.js';
import { tellOfChanges } from '../people/notices.js';
import { deletionOf, shortenChanges } from './card-changes.js';
import { type DetailLevel, type FieldName, namesAt } from './card-fields.js';
import { type CardPageStore, cardPageStore } from './card-pages.store.js';
import { resolveReferences } from './card-references.js';
import { type CardValues, checkCardInput, readPlace, readValues, requireOpenFields } from './card-values.js';
import type { CardInput, CardListWish, FullCard } from './cards.schemas.js';
import { cardStore } from './cards.store.js';
import { readChosen } from './chosen-fields.js';
import { chosenFieldStore } from './chosen-fields.store.js';
import { type ListedPage, planRuns, writePage } from './full-pages.js';
import { describeCreation, filledCardRow } from './new-card.js';

const MOST_FINISHED = 200;

export interface FinishedWish {
  brandId: number;
  agentId: string;
  after?: { updatedAt: Date; id: string };
  limit?: number;
}

/** The card, with the columns it can stand in. */
export async function getCardOnBoard(db: Db | Tx, caller: MemberCaller, cardId: string) {
  const found = await cardStore(db, caller.brandId).findCardOnBoard(cardId);
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

  /** What the level shows and what was asked for beside it. */
  function addChosen(caller: MemberCaller, cards: { id: string }[], more: readonly FieldName[]) {
    const ids = cards.map(({ id }) => id);
    const names = [...namesAt('summary'), ...more];
    return chosenFieldStore(db, caller.brandId).listChosen(ids, names) as Promise<{ id: string }[]>;
  }

  /** The number after which the page begins; none where pages are asked for by number. */
  function readCursor(boardId: string, { page, cursor }: CardListWish): number | undefined {
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
    { page, per_page }: CardListWish,
  ): Promise<ListedPage> {
    const { items, total } = await store.listCards(boardId, detail, per_page, (page - 1) * per_page);
    return { items, total, page, per_page };
  }

  /** By number, which a card keeps wherever it goes: the order of the board changes under whoever moves what it reads. */
  async function listAfter(
    store: CardPageStore,
    boardId: string,
    detail: DetailLevel,
    { page, per_page }: CardListWish,
    after: number,
  ): Promise<ListedPage> {
    // One more than was asked for tells whether anything follows.
    const found = await store.listCardsAfter(boardId, detail, per_page + 1, after);
    const items = found.items.slice(0, per_page);
    const last = found.items.length > per_page ? found.numbers[per_page - 1] : undefined;
    const next_cursor = last === undefined ? null : cursorsOf(boardId.toLowerCase()).encode(last);
    return { items, total: found.total, page, per_page, next_cursor };
  }

  return {
    /** The page, or what is written of it piece by piece when its long texts are too many for memory. */
    async listCards(
      caller: MemberCaller,
      boardId: string,
      detail: DetailLevel,
      wish: CardListWish,
    ): Promise<ListedPage | AsyncGenerator<string>> {
      const more = readChosen(wish.with, namesAt(detail));
      const after = readCursor(boardId, wish);
      const store = cardPageStore(db, caller.brandId);
      const listed = await readOfBoard(db, caller, boardId, {
        read: () =>
          after === undefined
            ? listNumbered(store, boardId, detail, wish)
            : listAfter(store, boardId, detail, wish, after),
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
      const { card, guestWritten } = await getCardOnBoard(db, caller, cardId);
      if (caller.role === 'guest') await openBoard(db, caller, card.board_id);
      const isMarked = caller.kind === 'build' && guestWritten.length > 0;
      return isMarked ? { ...card, from_guest: guestWritten } : card;
    },

    /** For the service itself, which works on cards for whoever asked it to; with the texts that a guest wrote last. */
    async findCardToBuild(brandId: number, cardId: string, within: Db | Tx = db) {
      const found = await cardStore(within, brandId).findCardOnBoard(cardId);
      return found && { card: found.card, guestWritten: found.guestWritten };
    },

    /** Refuses whoever may not make such a card. */
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
        const said = describeCreation(values, place);
        const card = { cardId, boardId, brandId, number, reporterId, place, at, byGuest };
        await cardStore(tx, brandId).insertCard(filledCardRow(card, values));
        await saveLongParts(tx, caller, cardId, values);
        await recordHappening(options, tx, writerOf(caller), board, at, {
          action: 'task.created',
          changes: shortenChanges(said),
          task: { id: cardId, ref: `${board.key}-${number}`, version: 1 },
          lastNumber: number,
        });
        await tellOfChanges(options, tx, caller, [{ place: { boardId, taskId: cardId, at }, changed: said }]);
        return (await getCardOnBoard(tx, caller, cardId)).card;
      });
    },

    async deleteCard(caller: MemberCaller, cardId: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        const board = await lockBoardOfCard(tx, caller, cardId);
        requireLevel(caller, board.guest_level, 'viewer', 'open it');
        if (caller.role === 'guest') throw guestLevelTooLow('delete cards');
        const { card } = await getCardOnBoard(tx, caller, cardId);
        await cardStore(tx, caller.brandId).deleteCard(cardId);
        await recordHappening(options, tx, writerOf(caller), board, entryTime(board, clock), {
          action: 'task.deleted',
          changes: deletionOf({ title: card.title, status: card.status, column: card.column.name }),
          task: card,
        });
      });
    },

    /**
     * Cards in `done` that are assigned to the agent, in the order in which they last changed; go on with the last one's
     * `updated_at` and `id`. A card that changes again comes again, at its new place. What a guest wrote is left out, and
     * so is a card on which nobody else wrote a word.
     */
    listFinishedCards: ({ brandId, agentId, after, limit = 100 }: FinishedWish) =>
      cardStore(db, brandId).listFinished(agentId, after, Math.min(limit, MOST_FINISHED)),
  };
}
