import type { MemberCaller } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import {
  boardNotFound,
  boardNotOpenToGuest,
  boardOfAnotherBrand,
  cardNotFound,
  guestLevelTooLow,
} from '../boards.errors.js';
import { GUEST_LEVELS, type GuestLevel } from '../boards.schemas.js';
import { boardStore, type LockedBoard, type OpenedBoard } from './boards.store.js';

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

/** Of a guest, who sees some boards only; null of everybody else. */
export const guestIdOf = ({ role, userId }: MemberCaller): number | null =>
  role === 'guest' ? userId : null;

/**
 * What a statement finds of a board that looks at boards of the caller's workspace only. Whether a member may look there is asked
 * when it found nothing; a guest is asked before.
 */
export async function readOfBoard<T>(
  db: Db | Tx,
  caller: MemberCaller,
  boardId: string,
  { read, isEmpty }: { read: () => Promise<T>; isEmpty: (found: T) => boolean },
): Promise<T> {
  if (caller.role === 'guest') await openBoard(db, caller, boardId);
  const found = await read();
  if (caller.role !== 'guest' && isEmpty(found)) await openBoard(db, caller, boardId);
  return found;
}

/** The board, held against other writers until the transaction ends. */
export async function lockBoard(tx: Tx, caller: MemberCaller, boardId: string): Promise<LockedBoard> {
  const board = await boardStore(tx, caller.brandId).lockBoard(boardId, caller.userId);
  if (board) return board;
  await openBoard(tx, caller, boardId);
  throw boardNotFound();
}

/** The board of a card of the caller's workspace, held against other writers. */
export async function lockBoardOfCard(tx: Tx, caller: MemberCaller, cardId: string): Promise<LockedBoard> {
  const board = await boardStore(tx, caller.brandId).lockBoardOfCard(cardId, caller.userId);
  if (!board) throw cardNotFound();
  return board;
}
