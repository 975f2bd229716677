import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Db } from '../../../platform/database/database.js';
import type { IdentityService } from '../../identity/index.js';
import type { GuestAccess } from '../docs-spaces/docs-spaces.schemas.js';
import { docsSpaceStore } from '../docs-spaces/docs-spaces.store.js';
import { guestNotFound } from '../workspaces.errors.js';
import { type GuestBoards, readBoardAccess, readBoardsRemoved } from './guest-boards.js';
import type { Guest } from './guests.schemas.js';
import { type GuestPerson, guestStore } from './guests.store.js';

export type GuestService = ReturnType<typeof createGuestService>;

interface GuestOptions {
  db: Db;
  clock: Clock;
  boards: Pick<GuestBoards, 'listGuestBoards' | 'removeGuest'>;
  identity: Pick<IdentityService, 'changeIdentities' | 'guests'>;
}

export function createGuestService({ db, clock, boards, identity }: GuestOptions) {
  return {
    async listGuests(brandId: number): Promise<Guest[]> {
      const [onBoards, inDocs] = await Promise.all([
        boards.listGuestBoards(brandId).then(readBoardAccess),
        docsSpaceStore(db, brandId).listGuestAccess(),
      ]);
      const accessByPerson = new Map<number, GuestAccess[]>();
      for (const { user_id, ...access } of [...onBoards, ...inDocs]) {
        const known = accessByPerson.get(user_id) ?? [];
        known.push(access);
        accessByPerson.set(user_id, known);
      }
      const people = await guestStore(db, brandId).listPeople([...accessByPerson.keys()]);
      return people.map((person) => ({
        ...person,
        image: null,
        access: accessByPerson.get(person.user_id)!,
      }));
    },

    /** Who they are, without what they can open. */
    listNames: (brandId: number, words: readonly string[]): Promise<GuestPerson[]> =>
      guestStore(db, brandId).listNames(words),

    /** Takes everything away that the guest could open; what they wrote stays. */
    removeGuest(caller: MemberCaller, userId: number) {
      return identity.changeIdentities(async (tx) => {
        const person = await guestStore(tx, caller.brandId).findPerson(userId);
        if (!person || person.is_member) throw guestNotFound();
        const boards_removed = readBoardsRemoved(await boards.removeGuest(tx, caller.brandId, userId));
        const docs_removed = await identity.guests.withdraw(tx, caller.brandId, userId, { kind: 'docs' });
        if (boards_removed + docs_removed === 0) throw guestNotFound();
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'guest.removed',
          subject: `user:${userId}`,
          details: { boards_removed, docs_removed },
          at: clock.now(),
        });
        return { success: true, boards_removed, docs_removed };
      });
    },
  };
}
