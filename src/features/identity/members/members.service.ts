import type { GuestLevel, MemberRole } from '../../../kernel/access.js';
import type { Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/outbox.js';
import type { IdentityContext } from '../credentials/identity-changes.js';
import { challengeStore } from '../credentials/mfa.store.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { tokenStore } from '../credentials/tokens.store.js';
import {
  lastAdminDemoted,
  lastAdminRemoved,
  memberCannotBeGuest,
  memberNotFound,
  userNotFound,
} from '../identity.errors.js';
import { invitationStore } from '../people/invitations.store.js';
import {
  announceJoined,
  type GuestResource,
  guestAccessStore,
  type Membership,
  membershipStore,
} from '../people/members.store.js';

export interface LeavingContext extends IdentityContext {
  outbox: Pick<WebhookOutbox, 'record'>;
  /** Removes what other features store for a person in a workspace, such as their inbox. */
  removeBelongings(tx: Tx, brandId: number, userId: number): Promise<void>;
}

/**
 * The only way to leave a workspace, for members and guests. Everything they held there ends with the commit
 * and stays ended when they return. Call it inside `changeIdentities`.
 */
export async function leaveWorkspace(
  { outbox, removeBelongings }: Pick<LeavingContext, 'outbox' | 'removeBelongings'>,
  tx: Tx,
  brandId: number,
  userId: number,
  now: Date,
): Promise<void> {
  const role = await membershipStore(tx, brandId).deactivate(userId);
  await guestAccessStore(tx, brandId).remove(userId);
  await sessionStore(tx).deleteSessionsIn(brandId, userId);
  await challengeStore(tx).removeChallengesIn(brandId, userId);
  await tokenStore(tx, brandId).revokeTokensOf(userId, now);
  await invitationStore(tx, brandId).revokeFor(userId);
  await invitationStore(tx, brandId).revokeBy(userId);
  await removeBelongings(tx, brandId, userId);
  // Guests can leave without having been members.
  if (role !== undefined)
    await outbox.record(tx, [{ brandId, type: 'member.left', at: now, data: { user_id: userId, role } }]);
}

/** Absent fields are kept, null clears a field, a value sets it. */
interface MemberFields {
  role?: MemberRole;
  position?: string | null;
}

/** Runs inside the caller's transaction. */
export function createMemberService(options: LeavingContext) {
  const { clock, changeIdentities, outbox } = options;

  /** Call it with the roles locked. */
  const isLastAdmin = async (store: ReturnType<typeof membershipStore>, userId: number, role?: MemberRole) =>
    role === 'admin' && !(await store.hasOtherAdmin(userId));

  return {
    /** A transaction that changes roles must call this before requireStillAdmin. */
    lockRoles: (tx: Tx, brandId: number): Promise<void> => membershipStore(tx, brandId).lockRoles(),

    put: (tx: Tx, brandId: number, userId: number, fields: MemberFields): Promise<Membership> =>
      changeIdentities(async (inner) => {
        const store = membershipStore(inner, brandId);
        const now = clock.now();
        await guestAccessStore(inner, brandId).remove(userId);
        if (fields.role === 'member') await store.lockRoles();
        const present = await store.findRole(userId);
        if (fields.role === 'member' && (await isLastAdmin(store, userId, present))) throw lastAdminDemoted();
        const membership = await store.upsert(userId, fields, now);
        if (present === undefined) await announceJoined(outbox, inner, brandId, userId, membership.role, now);
        return membership;
      }, tx),

    async change(tx: Tx, brandId: number, userId: number, { role, position }: MemberFields): Promise<void> {
      const store = membershipStore(tx, brandId);
      if (role !== undefined) await store.lockRoles();
      const present = await store.findRole(userId);
      if (present === undefined) throw memberNotFound();
      if (role === 'member' && (await isLastAdmin(store, userId, present))) throw lastAdminDemoted();
      if (position !== undefined) await store.changePosition(userId, position);
      if (role !== undefined)
        await changeIdentities((inner) => membershipStore(inner, brandId).changeRole(userId, role), tx);
    },

    /** Only the operator may remove the last admin. */
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
      if (!evenLastAdmin && (await isLastAdmin(store, userId, role))) throw lastAdminRemoved();
      await changeIdentities((inner) => leaveWorkspace(options, inner, brandId, userId, clock.now()), tx);
    },

    async changePhoto(tx: Tx, brandId: number, userId: number, key: string | null): Promise<string | null> {
      const before = await membershipStore(tx, brandId).changePhotoKey(userId, key);
      if (before === undefined) throw memberNotFound();
      return before;
    },
  };
}

export type GuestAccessService = ReturnType<typeof createGuestAccessService>;

export interface AdmittedGuest {
  user_id: number;
  email: string;
  full_name: string;
  role: GuestLevel;
  created_at: string;
}

/** Access of guests in a workspace. Runs inside the caller's transaction. */
export function createGuestAccessService(options: LeavingContext) {
  const { clock, changeIdentities } = options;
  async function removeOutsiders(tx: Tx, brandId: number, userIds: number[]): Promise<void> {
    const outsiders = await guestAccessStore(tx, brandId).listOutsiders(userIds);
    for (const userId of outsiders) await leaveWorkspace(options, tx, brandId, userId, clock.now());
  }

  return {
    grantAccess: (
      tx: Tx,
      brandId: number,
      userId: number,
      resource: GuestResource,
      role: GuestLevel,
    ): Promise<AdmittedGuest> =>
      changeIdentities(async (inner) => {
        const store = guestAccessStore(inner, brandId);
        const person = await store.findAdmissible(userId);
        if (!person) throw userNotFound();
        if (person.is_member) throw memberCannotBeGuest();
        const createdAt = await store.save(resource, userId, role, clock.now());
        const { email, full_name } = person;
        return { user_id: userId, email, full_name, role, created_at: createdAt.toISOString() };
      }, tx),

    /** Returns the number of revoked accesses. */
    revokeAccess: (
      tx: Tx,
      brandId: number,
      userId: number,
      resource: Partial<GuestResource>,
    ): Promise<number> =>
      changeIdentities(async (inner) => {
        const removed = await guestAccessStore(inner, brandId).remove(userId, resource);
        if (removed === 0) return 0;
        const { kind, resourceId } = resource;
        if (kind && resourceId)
          await invitationStore(inner, brandId).dropGrants({ kind, resourceId }, { userId });
        await removeOutsiders(inner, brandId, [userId]);
        return removed;
      }, tx),

    /** Call it before a resource is deleted. */
    revokeAllAccess: (tx: Tx, brandId: number, resource: GuestResource): Promise<void> =>
      changeIdentities(async (inner) => {
        // Invitations first: the next step then finds a guest who accepts at this moment.
        await invitationStore(inner, brandId).dropGrants(resource);
        const guests = await guestAccessStore(inner, brandId).revokeAllAccess(resource);
        if (guests.length > 0) await removeOutsiders(inner, brandId, guests);
      }, tx),
  };
}
