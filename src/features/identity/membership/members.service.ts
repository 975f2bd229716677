import type { MemberRole } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Tx } from '../../../platform/database/database.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { type LeavingOptions, leaveWorkspace } from '../credentials/leaving.js';
import { lastAdminDemoted, lastAdminRemoved, memberNotFound } from '../identity.errors.js';
import { guestAccessStore } from '../members/guests.store.js';
import { tellJoined } from '../members/joining.js';
import { type Membership, membershipStore } from '../members/members.store.js';

/** Absent keeps, null clears, a value sets. */
interface MemberFields {
  role?: MemberRole;
  position?: string | null;
}

interface MemberOptions extends LeavingOptions {
  clock: Clock;
  changeIdentities: ChangeIdentities;
}

/** Who belongs to a workspace, as what. Everything works inside the caller's transaction. */
export function createMemberService(options: MemberOptions) {
  const { clock, changeIdentities, outbox } = options;

  /** Whoever makes a member of an admin, the operator too, leaves another one; roles have to be locked. */
  async function refuseLastAdmin(
    store: ReturnType<typeof membershipStore>,
    userId: number,
    present: MemberRole | undefined,
  ): Promise<void> {
    if (present === 'admin' && !(await store.hasOtherAdmin(userId))) throw lastAdminDemoted();
  }

  return {
    /** Before a transaction asks whether its caller is an admin still, when it changes who is. */
    lockRoles: (tx: Tx, brandId: number): Promise<void> => membershipStore(tx, brandId).lockRoles(),

    /** Somebody who was a guest is one no longer. */
    put: (tx: Tx, brandId: number, userId: number, fields: MemberFields): Promise<Membership> =>
      changeIdentities(async (inner) => {
        const store = membershipStore(inner, brandId);
        const now = clock.now();
        await guestAccessStore(inner, brandId).remove(userId);
        if (fields.role === 'member') await store.lockRoles();
        const present = await store.findRole(userId);
        if (fields.role === 'member') await refuseLastAdmin(store, userId, present);
        const isNew = present === undefined;
        const membership = await store.upsert(userId, fields, now);
        if (isNew) await tellJoined(outbox, inner, brandId, userId, membership.role, now);
        return membership;
      }, tx),

    async change(tx: Tx, brandId: number, userId: number, { role, position }: MemberFields): Promise<void> {
      const store = membershipStore(tx, brandId);
      if (role !== undefined) await store.lockRoles();
      const present = await store.findRole(userId);
      if (present === undefined) throw memberNotFound();
      if (role === 'member') await refuseLastAdmin(store, userId, present);
      if (position !== undefined) await store.changePosition(userId, position);
      if (role !== undefined)
        await changeIdentities((inner) => membershipStore(inner, brandId).changeRole(userId, role), tx);
    },

    /** A workspace keeps an admin, unless the operator says otherwise. */
    async remove(
      tx: Tx,
      brandId: number,
      userId: number,
      { evenLastAdmin = false }: { evenLastAdmin?: boolean } = {},
    ): Promise<void> {
      const store = membershipStore(tx, brandId);
      await store.lockRoles();
      const role = await store.findRole(userId);
      if (role === undefined) throw memberNotFound();
      if (role === 'admin' && !evenLastAdmin && !(await store.hasOtherAdmin(userId)))
        throw lastAdminRemoved();
      await changeIdentities((inner) => leaveWorkspace(options, inner, brandId, userId, clock.now()), tx);
    },

    /** Answers the key of the picture before. */
    async changePhoto(tx: Tx, brandId: number, userId: number, key: string | null): Promise<string | null> {
      const before = await membershipStore(tx, brandId).changePhotoKey(userId, key);
      if (before === undefined) throw memberNotFound();
      return before;
    },
  };
}
