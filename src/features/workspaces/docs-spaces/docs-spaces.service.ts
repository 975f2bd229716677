import type { GuestLevel, MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { IdentityService } from '../../identity/index.js';
import { guestNotFound, spaceNotFound, spaceNotOpenToGuest } from '../workspaces.errors.js';
import type { Space, SpaceGuest } from '../workspaces.schemas.js';
import { docsSpaceStore } from './docs-spaces.store.js';

export type DocsSpaceService = ReturnType<typeof createDocsSpaceService>;

interface DocsSpaceOptions {
  db: Db;
  clock: Clock;
  identity: Pick<IdentityService, 'changeIdentities' | 'guests' | 'requireStillAdmin'>;
}

export function createDocsSpaceService({ db, clock, identity }: DocsSpaceOptions) {
  const recordGuest = (
    tx: Tx,
    caller: MemberCaller,
    action: string,
    userId: number,
    details: Record<string, string>,
  ) =>
    recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action,
      subject: `user:${userId}`,
      details,
      at: clock.now(),
    });

  async function requireSpace(tx: Tx, caller: MemberCaller, spaceId: string) {
    if (!(await docsSpaceStore(tx, caller.brandId).findSpace(spaceId))) throw spaceNotFound();
    return { kind: 'docs', resourceId: spaceId } as const;
  }

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
      return identity.changeIdentities(async (tx) => {
        await identity.requireStillAdmin(tx, caller);
        const space = await requireSpace(tx, caller, spaceId);
        const guest = await identity.guests.grantAccess(tx, caller.brandId, userId, space, role);
        await recordGuest(tx, caller, 'guest.invited', userId, { space_id: spaceId, role });
        return { space_id: spaceId, ...guest };
      });
    },

    async withdrawGuest(caller: MemberCaller, spaceId: string, userId: number): Promise<void> {
      await identity.changeIdentities(async (tx) => {
        const space = await requireSpace(tx, caller, spaceId);
        if ((await identity.guests.revokeAccess(tx, caller.brandId, userId, space)) === 0)
          throw guestNotFound();
        await recordGuest(tx, caller, 'guest.removed', userId, { space_id: spaceId });
      });
    },
  };
}
