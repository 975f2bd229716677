import type { Tx } from '../../../database/database.js';
import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { BoardServiceOptions } from '../boards.options.js';
import type { Changes } from '../boards.schemas.js';
import type { LockedBoard } from '../boards.store.js';
import type { Action } from './feed.schemas.js';
import { feedStore, type NewEntry } from './feed.store.js';

export const ACTIVITY_CHANNEL = 'guildhall_board_activity';

export interface Happening {
  action: Action;
  changes: Changes;
  task?: { id: string; ref: string; version: number };
  /** Given when the write gave out a card's number. */
  lastNumber?: number;
}

/** Never before an earlier entry of the board, even when the clocks of two nodes differ. */
export const entryTime = (board: Pick<LockedBoard, 'last_activity_at'>, clock: Clock): Date =>
  new Date(Math.max(clock.now().getTime(), board.last_activity_at.getTime()));

/** The next entry of a board that the writer holds. */
export const nextEntry = (
  actor: { userId: number | null },
  board: LockedBoard,
  at: Date,
  { action, changes, task }: Happening,
): NewEntry => ({
  boardId: board.board_id,
  sequence: board.last_sequence + 1,
  at,
  action,
  taskId: task?.id ?? null,
  ref: task?.ref ?? null,
  cardVersion: task?.version ?? null,
  actorId: actor.userId,
  changes,
});

/** Wakes up whoever follows the feed, with the commit. */
export const announce = (
  { notifications }: Pick<BoardServiceOptions, 'notifications'>,
  tx: Tx,
  boardId: string,
): Promise<void> => notifications.publish(tx, ACTIVITY_CHANNEL, boardId);

/** Writes the one entry of a write and wakes up whoever follows the feed, all with the commit. */
export async function recordHappening(
  options: Pick<BoardServiceOptions, 'notifications'>,
  tx: Tx,
  caller: MemberCaller,
  board: LockedBoard,
  at: Date,
  happening: Happening,
): Promise<void> {
  await feedStore(tx, caller.brandId).record(nextEntry(caller, board, at, happening), happening.lastNumber);
  await announce(options, tx, board.board_id);
}
