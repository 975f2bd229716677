import type { Db, Tx } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { activityStore } from './boards.activity-store.js';
import {
  boardNotFound,
  boardNotOpenToGuest,
  boardOfAnotherBrand,
  guestLevelTooLow,
} from './boards.errors.js';
import { type Action, type Changes, GUEST_LEVELS, type GuestLevel } from './boards.schemas.js';
import { boardStore, type LockedBoard, type OpenedBoard } from './boards.store.js';

export interface BoardServiceOptions {
  db: Db;
  clock: Clock;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
  /** Signs the cursors of the feed; the same on every node. */
  cursorSecret: string;
  isProfileKey: (key: string) => boolean;
  /** Whether the caller's credential would still be accepted. */
  holdsStill: (caller: MemberCaller) => Promise<boolean>;
  /** Runs a write after which somebody may open more or less than before. */
  changeIdentities: <T>(work: (tx: Tx) => Promise<T>, inside?: Db | Tx) => Promise<T>;
}

export const ACTIVITY_CHANNEL = 'guildhall_board_activity';

/** Members may do everything that a level allows; a guest what the level on this very board does. */
export function requireLevel(
  caller: MemberCaller,
  level: GuestLevel | null,
  needed: GuestLevel,
  action: string,
): void {
  if (caller.role !== 'guest') return;
  if (level === null) throw boardNotOpenToGuest();
  if (GUEST_LEVELS.indexOf(level) < GUEST_LEVELS.indexOf(needed)) throw guestLevelTooLow(action);
}

/** The board, if the caller may look at it. */
export async function openBoard(db: Db | Tx, caller: MemberCaller, boardId: string): Promise<OpenedBoard> {
  const board = await boardStore(db, caller.brandId).findOpened(boardId, caller.userId);
  if (!board) throw boardNotFound();
  if (!board.own) throw boardOfAnotherBrand();
  requireLevel(caller, board.guest_level, 'viewer', 'open it');
  return board;
}

/** The board, held against other writers until the transaction ends. */
export async function lockBoard(tx: Tx, caller: MemberCaller, boardId: string): Promise<LockedBoard> {
  const board = await boardStore(tx, caller.brandId).lockBoard(boardId, caller.userId);
  if (board) return board;
  await openBoard(tx, caller, boardId);
  throw boardNotFound();
}

export interface Happening {
  action: Action;
  changes: Changes;
  task?: { id: string; ref: string; version: number };
  /** Given when the write gave out a card's number. */
  lastNumber?: number;
  /** Columns of the card's row that change with it. */
  row?: Record<string, unknown>;
}

/** Never before an earlier entry of the board, even when the clocks of two nodes differ. */
export const entryTime = (board: Pick<LockedBoard, 'last_activity_at'>, clock: Clock): Date =>
  new Date(Math.max(clock.now().getTime(), board.last_activity_at.getTime()));

/** Writes the one entry of a write and wakes up whoever follows the feed, all with the commit. */
export async function recordHappening(
  { notifications }: Pick<BoardServiceOptions, 'notifications'>,
  tx: Tx,
  caller: MemberCaller,
  board: LockedBoard,
  at: Date,
  { action, changes, task, lastNumber, row }: Happening,
): Promise<void> {
  const sequence = board.last_sequence + 1;
  const store = activityStore(tx, caller.brandId);
  const entry = {
    boardId: board.board_id,
    sequence,
    at,
    action,
    taskId: task?.id ?? null,
    ref: task?.ref ?? null,
    cardVersion: task?.version ?? null,
    actorId: caller.userId,
    changes,
  };
  await (row ? store.recordCardChange(entry, row) : store.record(entry, lastNumber));
  await notifications.publish(tx, ACTIVITY_CHANNEL, board.board_id);
}
