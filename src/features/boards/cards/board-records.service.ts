import { isDeepStrictEqual } from 'node:util';
import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf, showActor } from '../../../kernel/actors.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { announce, entryTime, recordActivity, type Writer, writerOf } from '../activity/activity.js';
import { type BoardServiceOptions, guestIdOf, lockBoard, openBoard } from '../board/board-access.js';
import {
  type BoardRow,
  type BoardStore,
  boardStore,
  type DeletedCard,
  type FoundBoard,
  type LockedBoard,
} from '../board/boards.store.js';
import { type Column, nameKey, type Status } from '../board/columns.js';
import { boardNotFound, columnHoldsCards, columnNamesRepeat, columnNotOfBoard } from '../boards.errors.js';
import type {
  ActivityEntry,
  Board,
  BoardInput,
  BoardListQuery,
  BoardPatch,
  BoardRole,
  Changes,
} from '../boards.schemas.js';
import { deletionOf } from './card-changes.js';

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
      { page, per_page, with_counts }: BoardListQuery,
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
        await insertNewBoard(options, tx, writerOf(caller), board);
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
          await recordActivity(options, tx, writerOf(caller), board, at, {
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
        await guestAccess.revokeAllAccess(tx, caller.brandId, { kind: 'board', resourceId: boardId });
        await deleteAndPublish(options, tx, caller, board);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'board.deleted',
          subject: `board:${boardId}`,
          details: { name, key },
          at: clock.now(),
        });
        // Followers receive the final entry.
        announce(options, tx, boardId);
      });
    },
  };

  /** Matches columns by id or name, and creates or removes the others. */
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

/** Also writes the board's first activity entry. */
export async function insertNewBoard(
  options: BoardServiceOptions,
  tx: Tx,
  writer: Writer,
  board: BoardRow,
): Promise<void> {
  const { name, columns, created_at: at } = board;
  await boardStore(tx, writer.brandId).insertBoard(board, writer.actor?.user_id ?? null);
  const locked = { ...board, last_number: 0, last_sequence: 0, last_activity_at: at, guest_level: null };
  await recordActivity(options, tx, writer, locked, at, {
    action: 'board.created',
    changes: {
      name: { from: null, to: name },
      columns: { from: null, to: columns.map(describeColumn) },
    },
  });
}

const defaultColumns = (): Column[] => DEFAULT_COLUMNS.map((column) => newColumn(column));

/** The key is reserved until the transaction ends. */
export async function newBoardRow(
  store: Pick<BoardStore, 'listTakenKeys'>,
  { name, board_type = 'build', columns = defaultColumns() }: Pick<BoardRow, 'name'> & Partial<BoardRow>,
  now: Date,
): Promise<BoardRow> {
  const base = suggestKey(name);
  const key = freeKey(base, await store.listTakenKeys(base));
  return { board_id: newId(), name, key, board_type, columns, created_at: now };
}

const toBoard = (caller: MemberCaller, { guest_level, created_at, ...board }: FoundBoard): Board => ({
  ...board,
  created_at: created_at.toISOString(),
  // A guest who sees a board always has a level on it.
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

const SHORTEST_WORD_KEY = 3;
const LONGEST_KEY = 4;
const FALLBACK = 'BRD';

/** The initials of several words, or the first characters of a single one. */
export function suggestKey(name: string): string {
  const words = name
    .normalize('NFKD')
    .toUpperCase()
    .split(/[^A-Z0-9\p{M}]+/u)
    .map((word) => word.replace(/\p{M}/gu, ''))
    .filter((word) => word !== '');
  const initials = words.map((word) => word[0]).join('');
  const key =
    words.length > 1 ? initials.slice(0, LONGEST_KEY) : (words[0] ?? '').slice(0, SHORTEST_WORD_KEY);
  return /^[A-Z]/.test(key) && key.length > 1 ? key : FALLBACK;
}

export function freeKey(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let suffix = 2;
  while (taken.has(`${base}${suffix}`)) suffix += 1;
  return `${base}${suffix}`;
}

const CARDS_AT_ONCE = 1000;

type Options = Pick<BoardServiceOptions, 'outbox' | 'clock'>;

/** Webhooks get the final entries now. Followers read them from the retired key after the feed is gone. */
export async function deleteAndPublish(
  options: Options,
  tx: Tx,
  caller: MemberCaller,
  board: LockedBoard,
): Promise<void> {
  const { outbox, clock } = options;
  const { brandId } = caller;
  const at = entryTime(board, clock);
  const id = newId();
  if (await outbox.hasSubscribers(tx, brandId)) {
    await publishDeletedCards(options, tx, writerOf(caller), board, at);
    const { actor } = writerOf(caller);
    const entry = boardEntry({ id, at, actor });
    await outbox.record(tx, [{ brandId, type: entry.action, at, data: { board_id: board.board_id, entry } }]);
  }
  await boardStore(tx, brandId).deleteBoard(board.board_id, { id, at, by: actorIdsOf(caller) });
}

async function publishDeletedCards(
  { outbox }: Options,
  tx: Tx,
  { brandId, actor }: Writer,
  { board_id, key }: LockedBoard,
  at: Date,
): Promise<void> {
  const toMessage = (card: DeletedCard) => {
    const { card_id: task_id, entry_id: id, number, title, status, column_name: column } = card;
    const ref = `${key}-${number}`;
    const changes = deletionOf({ title, status, column });
    const action = 'task.deleted' as const;
    const entry: ActivityEntry = { id, action, created_at: at.toISOString(), task_id, ref, actor, changes };
    return { brandId, type: action, at, data: { board_id, task_id, ref, entry } };
  };
  const store = boardStore(tx, brandId);
  for (let after = 0, more = true; more; ) {
    const cards = await store.listCardsToDelete(board_id, after, CARDS_AT_ONCE, at);
    await outbox.record(tx, cards.map(toMessage));
    after = cards.at(-1)?.number ?? after;
    more = cards.length === CARDS_AT_ONCE;
  }
}

export async function findLastEntry(
  db: Db,
  brandId: number,
  boardId: string,
): Promise<ActivityEntry | undefined> {
  const gone = await boardStore(db, brandId).findDeletion(boardId);
  if (!gone?.id || !gone.at) return undefined;
  const { id, at, actor } = gone;
  return boardEntry({ id, at, actor: showActor(actor) });
}

const boardEntry = ({ id, at, actor }: { id: string; at: Date; actor: ActivityEntry['actor'] }) =>
  ({
    id,
    action: 'board.updated',
    created_at: at.toISOString(),
    task_id: null,
    ref: null,
    actor,
    changes: { deleted: { from: false, to: true } },
  }) satisfies ActivityEntry;
