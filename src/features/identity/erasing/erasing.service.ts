import { type PersonalPart, wholePart } from '../../../kernel/actors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { challengeStore, mfaStore, proofStore } from '../credentials/mfa.store.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { lastAdminErased, userNotFound } from '../identity.errors.js';
import { type LeavingContext, leaveWorkspace } from '../members/members.service.js';
import { oidcStore, personStore } from '../people/people.store.js';
import { erasingStore, personalDataStore } from './erasing.store.js';

export function createErasingService(options: LeavingContext) {
  const { db, clock, changeIdentities } = options;
  return {
    readProfile: (userId: number) => personalDataStore(db, userId).readProfile(),

    listPersonalParts(userId: number): PersonalPart[] {
      const store = personalDataStore(db, userId);
      return [
        wholePart('workspaces', store.listMemberships),
        wholePart('guest_access', store.listGuestAccess),
        wholePart('sessions', store.listSessions),
        wholePart('sign_in', store.listSignInMeans),
        wholePart('tokens', store.listTokens),
        wholePart('invitations', store.listInvitations),
      ];
    },

    /** Takes effect with the commit. Only the operator may erase a last admin. */
    closePerson: (tx: Tx, userId: number, { evenLastAdmin }: { evenLastAdmin: boolean }): Promise<void> =>
      changeIdentities(async (inner) => {
        const store = erasingStore(inner);
        if (!(await personStore(inner).lock(userId))) throw userNotFound();
        const alone = await store.lockLastAdminships(userId);
        if (alone.length > 0 && !evenLastAdmin) throw lastAdminErased(alone);
        const now = clock.now();
        for (const brandId of await sessionStore(inner).listWorkspaceIds(userId))
          await leaveWorkspace(options, inner, brandId, userId, now);
        await forgetSignIn(inner, userId);
        await store.close(userId, now);
      }, tx),

    listAddresses: (tx: Db | Tx, userId: number) => erasingStore(tx).listAddresses(userId),

    listPhotoKeys: (userId: number) => erasingStore(db).listPhotoKeys(userId),

    listPastWorkspaces: (tx: Db | Tx, userId: number) => erasingStore(tx).listPastWorkspaces(userId),

    forgetPerson: (tx: Tx, userId: number): Promise<void> =>
      changeIdentities((inner) => erasingStore(inner).forget(userId), tx),

    closeWorkspace: (tx: Tx, brandId: number): Promise<void> =>
      changeIdentities((inner) => erasingStore(inner).closeWorkspace(brandId, clock.now()), tx),

    listWorkspacePhotoKeys: (brandId: number) => erasingStore(db).listWorkspacePhotoKeys(brandId),
  };
}

/** Call it inside `changeIdentities`. */
async function forgetSignIn(tx: Tx, userId: number): Promise<void> {
  await challengeStore(tx).removeChallengesOf(userId);
  await mfaStore(tx).removeFactor(userId);
  await oidcStore(tx).unlinkAll(userId);
  await proofStore(tx, userId).removeCode();
}
