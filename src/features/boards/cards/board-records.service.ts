import { isDeepStrictEqual } from 'node:util';
import type { MemberCaller } from '../../../kernel/access.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { announce, entryTime, recordHappening, writerOf } from '../activity/happenings.js';
import { guestIdOf, lockBoard, openBoard } from '../board/board-access.js';
import { freeKey, suggestKey } from '../board/board-key.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import {
  type BoardRow,
  type BoardStore,
  boardStore,
  type FoundBoard,
  type LockedBoard,
} from '../board/boards.store.js';
import { type Column, nameKey, type Status } from '../board/columns.js';
import { boardNotFound, columnHoldsCards, columnNamesRepeat, columnNotOfBoard } from '../boards.errors.js';
import type { Board, BoardInput, BoardListWish, BoardPatch, BoardRole, Changes } from '../boards.schemas.js';
import { deleteAndTell } from './deletion.js';

const DEFAULT_COLUMNS: readonly { name: string; status: Status }[] = [
  { name: 'Backlog', status: 'pending' },
  { name: 'In Progress', status: 'in_progress' },
  { name: 'Review', status: 'in_review' },
  { name: 'Blocked', status: 'blocked' },
  { name: 'Done', status: 'done' },
];

export function createBoardRecordService(options: BoardServiceOptions) {
  const { db, clock, guestAccess } = options;

  async function getBoard(tx: Tx | typeof db, caller: MemberCaller, boardId: string): Promise<Board> {
    const board = await boardStore(tx, caller.brandId).findBoard(boardId, caller.userId);
    if (!board) throw boardNotFound();
    return toBoard(caller, board);
  }

  return {
    async listBoards(
      caller: MemberCaller,
      { page, per_page, with_counts }: BoardListWish,
    ): Promise<{ boards: Board[]; total: number }> {
      const guestId = guestIdOf(caller);
      const { boards, total } = await boardStore(db, caller.brandId).listBoards(
        guestId,
        per_page,
        (page - 1) * per_page,
      );
      if (!with_counts) return { boards: boards.map((board) => toBoard(caller, board)), total };
      const counts = await boardStore(db, caller.brandId).countCards(boards.map(({ board_id }) => board_id));
      return {
        boards: boards.map((board) => ({ ...toBoard(caller, board), ...counts.get(board.board_id) })),
        total,
      };
    },

    async getBoard(caller: MemberCaller, boardId: string): Promise<Board> {
      await openBoard(db, caller, boardId);
      return getBoard(db, caller, boardId);
    },

    async createBoard(caller: MemberCaller, input: BoardInput): Promise<Board> {
      const name = input.name.trim();
      const columns = input.columns?.map((column) => newColumn(column)) ?? defaultColumns();
      requireDifferentNames(columns);
      return inTransaction(db, async (tx) => {
        const store = boardStore(tx, caller.brandId);
        const { board_type } = input;
        const board = await newBoardRow(store, { name, board_type, columns }, clock.now());
        await store.insertBoard(board, caller.userId);
        const locked: LockedBoard = {
          ...board,
          last_number: 0,
          last_sequence: 0,
          last_activity_at: board.created_at,
          guest_level: null,
        };
        await recordHappening(options, tx, writerOf(caller), locked, board.created_at, {
          action: 'board.created',
          changes: {
            name: { from: null, to: name },
            columns: { from: null, to: columns.map(describeColumn) },
          },
        });
        return toBoard(caller, { ...board, guest_level: null });
      });
    },

    async changeBoard(caller: MemberCaller, boardId: string, patch: BoardPatch): Promise<Board> {
      return inTransaction(db, async (tx) => {
        const board = await lockBoard(tx, caller, boardId);
        const at = entryTime(board, clock);
        const changes: Changes = {};
        const name = patch.name?.trim();
        if (name !== undefined && name !== board.name) {
          await boardStore(tx, caller.brandId).renameBoard(boardId, name);
          changes['name'] = { from: board.name, to: name };
        }
        if (patch.columns)
          Object.assign(changes, await changeColumns(tx, caller, boardId, patch.columns, at));
        if (Object.keys(changes).length > 0) {
          await recordHappening(options, tx, writerOf(caller), board, at, {
            action: 'board.updated',
            changes,
          });
        }
        return getBoard(tx, caller, boardId);
      });
    },

    async deleteBoard(caller: MemberCaller, boardId: string): Promise<void> {
      await inTransaction(db, async (tx) => {
        const board = await lockBoard(tx, caller, boardId);
        const { name, key } = board;
        await guestAccess.closePlace(tx, caller.brandId, { kind: 'board', resourceId: boardId });
        await deleteAndTell(options, tx, caller, board);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'board.deleted',
          subject: `board:${boardId}`,
          details: { name, key },
          at: clock.now(),
        });
        // Whoever follows the feed looks again, and is told that it has ended.
        announce(options, tx, boardId);
      });
    },
  };

  /** The list that was sent replaces the columns: an id or a known name keeps one, the rest are new or go. */
  async function changeColumns(
    tx: Tx,
    caller: MemberCaller,
    boardId: string,
    wanted: NonNullable<BoardPatch['columns']>,
    at: Date,
  ): Promise<Changes> {
    const store = boardStore(tx, caller.brandId);
    const present = await store.listColumns(boardId);
    const next = matchColumns(present, wanted);
    requireDifferentNames(next);
    const removed = present.filter((column) => !next.some(({ id }) => id === column.id));
    const occupied = removed.find((column) => column.cards > 0);
    if (occupied) throw columnHoldsCards(occupied.name, occupied.cards);
    const before = present.map(({ id, name, status }) => ({ id, name, status }));
    if (isDeepStrictEqual(before, next)) return {};

    await store.removeColumns(
      boardId,
      removed.map(({ id }) => id),
    );
    await store.saveColumns(boardId, next);
    const restated = present.flatMap(({ id: columnId, status: from, cards }) => {
      const to = next.find(({ id }) => id === columnId)?.status;
      return to && to !== from && cards > 0 ? [{ columnId, from, to }] : [];
    });
    if (restated.length > 0) await store.restateCards(boardId, restated, at);
    return { columns: { from: before.map(describeColumn), to: next.map(describeColumn) } };
  }
}

const defaultColumns = (): Column[] => DEFAULT_COLUMNS.map((column) => newColumn(column));

/** A board that is to be made, under a key that nobody else takes before the transaction ends. */
export async function newBoardRow(
  store: Pick<BoardStore, 'takenKeys'>,
  { name, board_type = 'build', columns = defaultColumns() }: Pick<BoardRow, 'name'> & Partial<BoardRow>,
  now: Date,
): Promise<BoardRow> {
  const base = suggestKey(name);
  const key = freeKey(base, await store.takenKeys(base));
  return { board_id: newId(), name, key, board_type, columns, created_at: now };
}

const toBoard = (caller: MemberCaller, { guest_level, created_at, ...board }: FoundBoard): Board => ({
  ...board,
  created_at: created_at.toISOString(),
  // Whoever gets to see a board as a guest has a level on it.
  your_role: caller.role === 'guest' ? (guest_level as BoardRole) : caller.role,
});

const describeColumn = ({ name, status }: Column) => ({ name, status });

const newColumn = ({ name, status }: { name: string; status: Status }): Column => ({
  id: newId(),
  name: name.trim(),
  status,
});

function matchColumns(present: readonly Column[], wanted: NonNullable<BoardPatch['columns']>): Column[] {
  const claimed = new Set(wanted.flatMap(({ id }) => (id ? [id.toLowerCase()] : [])));
  return wanted.map(({ id, name, status }) => {
    const kept = id
      ? present.find((column) => column.id === id.toLowerCase())
      : present.find((column) => nameKey(column.name) === nameKey(name) && !claimed.has(column.id));
    if (id && !kept) throw columnNotOfBoard(id);
    return kept ? { id: kept.id, name: name.trim(), status } : newColumn({ name, status });
  });
}

function requireDifferentNames(columns: readonly Column[]): void {
  const seen = new Set<string>();
  const ids = new Set<string>();
  for (const { id, name } of columns) {
    if (seen.has(nameKey(name)) || ids.has(id)) throw columnNamesRepeat(name);
    seen.add(nameKey(name));
    ids.add(id);
  }
}
