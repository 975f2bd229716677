import type { GuestLevel, MemberCaller } from '../../../kernel/access.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import { guestNotFound } from '../boards.errors.js';
import type { BoardGuest } from '../boards.schemas.js';
import { lockBoard, openBoard } from './board-access.js';
import type { BoardServiceOptions } from './boards.options.js';
import { type GuestBoard, type GuestRow, guestStore } from './guests.store.js';

const toGuest = (row: GuestRow): BoardGuest => ({ ...row, created_at: row.created_at.toISOString() });

/** Who is let in and shown out is kept by identity; the boards say where. */
export function createGuestService(options: BoardServiceOptions) {
  const { db, clock, changeIdentities, guestAccess, requireStillAdmin } = options;
  const record = (
    tx: Tx,
    caller: MemberCaller,
    action: string,
    boardId: string,
    details: Record<string, unknown>,
  ) =>
    recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action,
      subject: `board:${boardId}`,
      details,
      at: clock.now(),
    });

  return {
    async inviteGuest(
      caller: MemberCaller,
      boardId: string,
      userId: number,
      role: GuestLevel,
    ): Promise<BoardGuest> {
      return changeIdentities(async (tx) => {
        await requireStillAdmin(tx, caller);
        await openBoard(tx, caller, boardId);
        const place = { kind: 'board', resourceId: boardId } as const;
        const guest = await guestAccess.letIn(tx, caller.brandId, userId, place, role);
        await record(tx, caller, 'guest.invited', boardId, { user_id: userId, role });
        return { board_id: boardId, ...guest };
      });
    },

    async withdrawGuest(caller: MemberCaller, boardId: string, userId: number): Promise<void> {
      await changeIdentities(async (tx) => {
        await openBoard(tx, caller, boardId);
        const place = { kind: 'board', resourceId: boardId } as const;
        if ((await guestAccess.withdraw(tx, caller.brandId, userId, place)) === 0) throw guestNotFound();
        await record(tx, caller, 'guest.removed', boardId, { user_id: userId });
      });
    },

    async listGuests(
      caller: MemberCaller,
      boardId: string,
    ): Promise<{ guests: BoardGuest[]; total: number }> {
      await openBoard(db, caller, boardId);
      const guests = await guestStore(db, caller.brandId).listGuestsOf(boardId);
      return { guests: guests.map(toGuest), total: guests.length };
    },

    /** For whoever invites to it: the board stays until what they grant is there. */
    holdGuestBoard: (tx: Tx, caller: MemberCaller, boardId: string): Promise<{ name: string }> =>
      lockBoard(tx, caller, boardId),

    /** The boards that guests of a workspace can open, for those who look after guests as a whole. */
    listGuestBoards: (brandId: number, userIds?: number[]): Promise<GuestBoard[]> =>
      guestStore(db, brandId).listGuestBoards(userIds ?? null),

    /** Takes every board from a guest, in the caller's transaction; answers how many there were. */
    removeGuest: (tx: Tx, brandId: number, userId: number): Promise<number> =>
      guestAccess.withdraw(tx, brandId, userId, { kind: 'board' }),
  };
}
