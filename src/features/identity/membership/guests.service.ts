import type { GuestLevel } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Tx } from '../../../platform/database/database.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { type LeavingOptions, leaveWorkspace } from '../credentials/leaving.js';
import { memberCannotBeGuest, userNotFound } from '../identity.errors.js';
import { type GuestPlace, guestAccessStore } from '../members/guests.store.js';
import { invitationStore } from '../members/invitations.store.js';

export type { GuestPlace } from '../members/guests.store.js';

export type GuestAccessService = ReturnType<typeof createGuestAccessService>;

export interface AdmittedGuest {
  user_id: number;
  email: string;
  full_name: string;
  role: GuestLevel;
  created_at: string;
}

interface GuestOptions extends LeavingOptions {
  clock: Clock;
  changeIdentities: ChangeIdentities;
}

/** What people outside a workspace may open in it. Everything works inside the caller's transaction. */
export function createGuestAccessService(options: GuestOptions) {
  const { clock, changeIdentities } = options;
  /** Whoever can open nothing here any more has left. */
  async function letLeave(tx: Tx, brandId: number, userIds: number[]): Promise<void> {
    const outsiders = await guestAccessStore(tx, brandId).listOutsiders(userIds);
    for (const userId of outsiders) await leaveWorkspace(options, tx, brandId, userId, clock.now());
  }

  return {
    letIn: (
      tx: Tx,
      brandId: number,
      userId: number,
      place: GuestPlace,
      role: GuestLevel,
    ): Promise<AdmittedGuest> =>
      changeIdentities(async (inner) => {
        const store = guestAccessStore(inner, brandId);
        const person = await store.findAdmissible(userId);
        if (!person) throw userNotFound();
        if (person.is_member) throw memberCannotBeGuest();
        const createdAt = await store.save(place, userId, role, clock.now());
        const { email, full_name } = person;
        return { user_id: userId, email, full_name, role, created_at: createdAt.toISOString() };
      }, tx),

    /** Closes one place to a guest, or all of a kind; answers how many there were. */
    withdraw: (tx: Tx, brandId: number, userId: number, place: Partial<GuestPlace>): Promise<number> =>
      changeIdentities(async (inner) => {
        const removed = await guestAccessStore(inner, brandId).remove(userId, place);
        if (removed === 0) return 0;
        const { kind, resourceId } = place;
        if (kind && resourceId)
          await invitationStore(inner, brandId).dropGrants({ kind, resourceId }, { userId });
        await letLeave(inner, brandId, [userId]);
        return removed;
      }, tx),

    /** Closes a place to all guests, before it goes. */
    closePlace: (tx: Tx, brandId: number, place: GuestPlace): Promise<void> =>
      changeIdentities(async (inner) => {
        // First what waits: whoever accepts at this moment is a guest afterwards, and found by the next step.
        await invitationStore(inner, brandId).dropGrants(place);
        const guests = await guestAccessStore(inner, brandId).closePlace(place);
        if (guests.length > 0) await letLeave(inner, brandId, guests);
      }, tx),
  };
}
