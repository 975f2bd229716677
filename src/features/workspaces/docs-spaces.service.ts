import type { Db } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { newId } from '../../kernel/ids.js';
import { recordAudit } from '../../services/audit.js';
import type { GuestLevel, Space, SpaceGuest } from './docs-spaces.schemas.js';
import { docsSpaceStore } from './docs-spaces.store.js';
import {
  memberCannotBeGuest,
  spaceNotFound,
  spaceNotOpenToGuest,
  userNotFound,
} from './workspaces.errors.js';

export type DocsSpaceService = ReturnType<typeof createDocsSpaceService>;

export function createDocsSpaceService({ db, clock }: { db: Db; clock: Clock }) {
  return {
    createSpace(caller: MemberCaller, name: string): Promise<Space> {
      const space = { space_id: newId(), name };
      return inTransaction(db, async (tx) => {
        const at = clock.now();
        await docsSpaceStore(tx, caller.brandId).insertSpace(space, at);
        const subject = `docs-space:${space.space_id}`;
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'docs-space.created',
          subject,
          at,
        });
        return space;
      });
    },

    /** A guest sees the spaces they were invited to. */
    listSpaces(caller: MemberCaller): Promise<Space[]> {
      const store = docsSpaceStore(db, caller.brandId);
      return caller.role === 'guest' ? store.listSpacesOfGuest(caller.userId) : store.listSpaces();
    },

    async getSpace(caller: MemberCaller, spaceId: string): Promise<Space> {
      const store = docsSpaceStore(db, caller.brandId);
      const space = await store.findSpace(spaceId);
      if (!space) throw spaceNotFound();
      if (caller.role === 'guest' && !(await store.isGuestOf(spaceId, caller.userId)))
        throw spaceNotOpenToGuest();
      return space;
    },

    putGuest(caller: MemberCaller, spaceId: string, userId: number, role: GuestLevel): Promise<SpaceGuest> {
      return inTransaction(db, async (tx) => {
        const store = docsSpaceStore(tx, caller.brandId);
        if (!(await store.findSpace(spaceId))) throw spaceNotFound();
        const person = await store.findPerson(userId);
        if (!person) throw userNotFound();
        if (person.is_member) throw memberCannotBeGuest();
        const at = clock.now();
        const { created_at } = await store.putGuest(spaceId, userId, role, at);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'guest.invited',
          subject: `user:${userId}`,
          details: { space_id: spaceId, role },
          at,
        });
        const { email, full_name } = person;
        return { space_id: spaceId, user_id: userId, email, full_name, role, created_at };
      });
    },
  };
}
