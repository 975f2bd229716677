import type { Tx } from '../../database/database.js';
import type { MemberCaller } from '../../kernel/access.js';
import { recordAudit } from '../../services/audit.js';
import { type BoardServiceOptions, openBoard } from './boards.context.js';
import { alreadyMember, guestNotFound, userNotFound } from './boards.errors.js';
import { type GuestBoard, type GuestRow, guestStore } from './boards.guest-store.js';
import type { BoardGuest, GuestLevel } from './boards.schemas.js';

const toGuest = (row: GuestRow): BoardGuest => ({ ...row, created_at: row.created_at.toISOString() });

export function createGuestService({ db, clock, changeIdentities }: BoardServiceOptions) {
  return {
    async inviteGuest(
      caller: MemberCaller,
      boardId: string,
      userId: number,
      role: GuestLevel,
    ): Promise<BoardGuest> {
      return changeIdentities(async (tx) => {
        await openBoard(tx, caller, boardId);
        const store = guestStore(tx, caller.brandId);
        const person = await store.findPerson(userId);
        if (!person) throw userNotFound();
        if (person.member) throw alreadyMember();
        const at = clock.now();
        const createdAt = await store.saveGuest(boardId, userId, role, at);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'guest.invited',
          subject: `board:${boardId}`,
          details: { user_id: userId, role },
          at,
        });
        const { email, full_name } = person;
        return {
          board_id: boardId,
          user_id: userId,
          email,
          full_name,
          role,
          created_at: createdAt.toISOString(),
        };
      });
    },

    async withdrawGuest(caller: MemberCaller, boardId: string, userId: number): Promise<void> {
      await changeIdentities(async (tx) => {
        await openBoard(tx, caller, boardId);
        if ((await guestStore(tx, caller.brandId).removeGuest(userId, boardId)) === 0) throw guestNotFound();
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'guest.removed',
          subject: `board:${boardId}`,
          details: { user_id: userId },
          at: clock.now(),
        });
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

    /** The boards that guests of a workspace can open, for those who look after guests as a whole. */
    listGuestBoards: (brandId: number, userIds?: number[]): Promise<GuestBoard[]> =>
      guestStore(db, brandId).listGuestBoards(userIds ?? null),

    /** Takes every board from a guest, in the caller's transaction; answers how many there were. */
    removeGuest: (tx: Tx, brandId: number, userId: number): Promise<number> =>
      changeIdentities((inner) => guestStore(inner, brandId).removeGuest(userId, null), tx),
  };
}
