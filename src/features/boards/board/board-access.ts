import { GUEST_LEVELS, type GuestLevel, type MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { ImageStore } from '../../../platform/images/images.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { InboxNotices, WebhookOutbox } from '../../../platform/outbox/outbox.js';
import type { GuestAccessService } from '../../identity/index.js';
import {
  boardNotFound,
  boardNotOpenToGuest,
  boardOfAnotherBrand,
  cardNotFound,
  guestLevelTooLow,
} from '../boards.errors.js';
import { boardStore, type LockedBoard, type OpenedBoard } from './boards.store.js';

export type CommentListener = (caller: MemberCaller, cardId: string, body: string) => Promise<void>;

export interface BoardServiceOptions {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Pick<Jobs, 'trigger'>;
  images: ImageStore;
  notifications: Pick<Notifications, 'announce' | 'subscribe' | 'onGap'>;
  outbox: WebhookOutbox;
  inbox: InboxNotices;
  cursorSecret: string;
  isProfileKey: (key: string) => boolean;
  /** Throws when the `checks` of a card are malformed. */
  requireCardChecks: (checks: unknown) => void;
  /** Throws when the caller is no longer an admin or their credential has ended. */
  requireStillAdmin: (tx: Tx, caller: MemberCaller) => Promise<void>;
  /** Whether the caller's credential would still be accepted. */
  isStillValid: (caller: MemberCaller) => Promise<boolean>;
  /** Called after a new comment is committed. It handles its own failures. */
  onComment: CommentListener;
  /** Runs a write that changes rights, so that all nodes forget cached callers. */
  changeIdentities: <T>(work: (tx: Tx) => Promise<T>, inside?: Db | Tx) => Promise<T>;
  guestAccess: GuestAccessService;
}

/** Guests need the level on this board. Members need none. */
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

export async function openBoard(db: Db | Tx, caller: MemberCaller, boardId: string): Promise<OpenedBoard> {
  const board = await boardStore(db, caller.brandId).findOpened(boardId, caller.userId);
  if (!board) throw boardNotFound();
  if (!board.own) throw boardOfAnotherBrand();
  requireLevel(caller, board.guest_level, 'viewer', 'open it');
  return board;
}

/** Null for callers who are not guests. */
export const guestIdOf = ({ role, userId }: MemberCaller): number | null =>
  role === 'guest' ? userId : null;

/** Members skip the access check when the read finds something, because it is limited to the workspace. */
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

export async function lockBoard(tx: Tx, caller: MemberCaller, boardId: string): Promise<LockedBoard> {
  const board = await boardStore(tx, caller.brandId).lockBoard(boardId, caller.userId);
  if (board) return board;
  await openBoard(tx, caller, boardId);
  throw boardNotFound();
}

export async function lockBoardOfCard(tx: Tx, caller: MemberCaller, cardId: string): Promise<LockedBoard> {
  const board = await boardStore(tx, caller.brandId).lockBoardOfCard(cardId, caller.userId);
  if (!board) throw cardNotFound();
  return board;
}
