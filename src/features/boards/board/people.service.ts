import type { GuestLevel, MemberCaller } from '../../../kernel/access.js';
import { type PersonalPart, pagedPart, withoutName } from '../../../kernel/actors.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { guestNotFound } from '../boards.errors.js';
import type { BoardGuest } from '../boards.schemas.js';
import { type BoardServiceOptions, lockBoard, openBoard } from './board-access.js';
import { type GuestBoard, type GuestRow, guestStore } from './boards.store.js';
import { boardPersonStore } from './personal-data.store.js';

const toGuest = (row: GuestRow): BoardGuest => ({ ...row, created_at: row.created_at.toISOString() });

/** Guests of boards. The identity feature stores their access. */
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
        const guest = await guestAccess.grantAccess(tx, caller.brandId, userId, place, role);
        await record(tx, caller, 'guest.invited', boardId, { user_id: userId, role });
        return { board_id: boardId, ...guest };
      });
    },

    async withdrawGuest(caller: MemberCaller, boardId: string, userId: number): Promise<void> {
      await changeIdentities(async (tx) => {
        await openBoard(tx, caller, boardId);
        const place = { kind: 'board', resourceId: boardId } as const;
        if ((await guestAccess.revokeAccess(tx, caller.brandId, userId, place)) === 0) throw guestNotFound();
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

    /** Locks the board, so that it exists until the invitation is committed. */
    holdGuestBoard: (tx: Tx, caller: MemberCaller, boardId: string): Promise<{ name: string }> =>
      lockBoard(tx, caller, boardId),

    listGuestBoards: (brandId: number, userIds?: number[]): Promise<GuestBoard[]> =>
      guestStore(db, brandId).listGuestBoards(userIds ?? null),

    removeGuest: (tx: Tx, brandId: number, userId: number): Promise<number> =>
      guestAccess.revokeAccess(tx, brandId, userId, { kind: 'board' }),
  };
}

const ENTRIES_AT_ONCE = 1000;

export const createBoardPeopleService = ({ db }: { db: Db }) => ({
  listPersonalParts(userId: number): PersonalPart[] {
    const store = boardPersonStore(db, userId);
    const idOf = ({ id }: { id: string }) => id;
    return [
      pagedPart('cards', idOf, store.listCards),
      pagedPart('comments', idOf, store.listComments),
      pagedPart('attachments', idOf, store.listAttachments),
      pagedPart('activity', idOf, store.listActivity),
    ];
  },

  /** Removes the name from activity entries. Can be interrupted and repeated. */
  async forgetPerson(userId: number, signal?: AbortSignal): Promise<void> {
    const store = boardPersonStore(db, userId);
    for (const boardId of await store.listBoards()) {
      for (let after = 0; ; ) {
        signal?.throwIfAborted();
        const { last, entries } = await store.listEntriesNaming(boardId, after, ENTRIES_AT_ONCE);
        if (last === null) break;
        if (entries.length > 0)
          await store.rewrite(
            entries.map((entry) => ({ ...entry, changes: withoutName(entry.changes, userId) })),
          );
        after = last;
      }
    }
  },
});
