import type { Tx } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import { newId } from '../../kernel/ids.js';
import {
  type CardInput,
  checkCardInput,
  columnsOf,
  readFields,
  readPlace,
  shortenChanges,
  stampsOf,
} from './boards.card-changes.js';
import { newCardRow } from './boards.card-defaults.js';
import type { DetailLevel } from './boards.card-fields.js';
import { lockBoardOfCard, readCard, resolveReferences } from './boards.card-lookups.js';
import { cardStore } from './boards.card-store.js';
import type { Place } from './boards.columns.js';
import {
  type BoardServiceOptions,
  entryTime,
  lockBoard,
  openBoard,
  recordHappening,
  requireLevel,
} from './boards.context.js';
import { cardNotFound, guestLevelTooLow } from './boards.errors.js';
import type { Changes, FullCard } from './boards.schemas.js';
import { boardStore } from './boards.store.js';

export interface PageWish {
  page: number;
  per_page: number;
}

export function createCardService(options: BoardServiceOptions) {
  const { db, clock, isProfileKey } = options;

  return {
    async listCards(
      caller: MemberCaller,
      boardId: string,
      detail: DetailLevel,
      { page, per_page }: PageWish,
    ) {
      const board = await openBoard(db, caller, boardId);
      const store = cardStore(db, caller.brandId);
      const { items, total } = await store.listCards(board.board_id, detail, per_page, (page - 1) * per_page);
      return { items, total, page, per_page };
    },

    async getCard(caller: MemberCaller, cardId: string): Promise<FullCard> {
      const card = await cardStore(db, caller.brandId).findCard(cardId);
      if (!card) throw cardNotFound();
      if (caller.role === 'guest') await openBoard(db, caller, card.board_id);
      return card;
    },

    async createCard(caller: MemberCaller, boardId: string, input: CardInput): Promise<FullCard> {
      checkCardInput(input, isProfileKey);
      return inTransaction(db, async (tx) => {
        const board = await lockBoard(tx, caller, boardId);
        requireLevel(caller, board.guest_level, 'editor', 'make cards');
        const columns = await boardStore(tx, caller.brandId).listColumns(boardId);
        const people = await resolveReferences(tx, caller, boardId, input);
        const first = columns[0]!;
        const place = readPlace(input, columns, { column: first, status: first.status })();

        const number = board.last_number + 1;
        const at = entryTime(board, clock);
        const values = readFields(input, people, number);
        const card = { id: newId(), ref: `${board.key}-${number}`, version: 1 };
        const changes = describeCreation(values, place);
        await cardStore(tx, caller.brandId).insertCards([
          {
            ...newCardRow({
              cardId: card.id,
              boardId,
              brandId: caller.brandId,
              number,
              reporterId: caller.userId,
              place,
              at,
            }),
            ...Object.assign(
              {},
              ...Object.entries(values).map(([field, value]) => columnsOf(field, value, place)),
            ),
            ...stampsOf(changes, { started_at: null }, at),
          },
        ]);
        await saveLongParts(tx, caller, card.id, values);
        await recordHappening(options, tx, caller, board, at, {
          action: 'task.created',
          changes: shortenChanges(changes),
          task: card,
          lastNumber: number,
        });
        return (await readCard(tx, caller, card.id)).card;
      });
    },

    async deleteCard(caller: MemberCaller, cardId: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        const board = await lockBoardOfCard(tx, caller, cardId);
        requireLevel(caller, board.guest_level, 'viewer', 'open it');
        if (caller.role === 'guest') throw guestLevelTooLow('delete cards');
        const { card } = await readCard(tx, caller, cardId);
        await cardStore(tx, caller.brandId).deleteCard(cardId);
        await recordHappening(options, tx, caller, board, entryTime(board, clock), {
          action: 'task.deleted',
          changes: {
            title: { from: card.title, to: null },
            status: { from: card.status, to: null },
            column: { from: card.column.name, to: null },
          },
          task: card,
        });
      });
    },
  };

  async function saveLongParts(
    tx: Tx,
    caller: MemberCaller,
    cardId: string,
    values: ReturnType<typeof readFields>,
  ) {
    const store = cardStore(tx, caller.brandId);
    const { instructions, result, blocked_by } = values as Partial<FullCard>;
    if (typeof instructions === 'string' || typeof result === 'string')
      await store.saveBodies(cardId, { instructions: instructions ?? null, result: result ?? null });
    if (blocked_by?.length) await store.saveBlockers(cardId, blocked_by);
  }
}

function describeCreation(values: ReturnType<typeof readFields>, place: Place): Changes {
  const shown = { ...values, status: place.status, column: place.column.name };
  return Object.fromEntries(
    Object.entries(shown)
      .filter(([, value]) => value !== null)
      .map(([field, value]) => [field, { from: null, to: value }]),
  );
}
