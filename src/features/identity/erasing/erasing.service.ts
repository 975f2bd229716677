import type { SessionCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { type PersonalPart, wholePart } from '../../../kernel/personal-data.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { type LeavingOptions, leaveWorkspace } from '../credentials/leaving.js';
import { challengeStore, mfaStore } from '../credentials/mfa.store.js';
import { oidcStore } from '../credentials/oidc.store.js';
import { proofStore } from '../credentials/proof.store.js';
import { sessionStore } from '../credentials/sessions.store.js';
import type { HoldProof } from '../factors/password-proof.js';
import type { GivenProof, Prove } from '../factors/proof.service.js';
import { lastAdminErased, userNotFound } from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { Visitor } from '../sessions/visitor.js';
import { erasingStore } from './erasing.store.js';
import { personalDataStore } from './personal-data.store.js';

interface ErasingOptions extends LeavingOptions {
  db: Db;
  clock: Clock;
  changeIdentities: ChangeIdentities;
  prove: Prove;
}

/** What identity knows about a person, and how it forgets them. */
export function createErasingService(options: ErasingOptions) {
  const { db, clock, changeIdentities, prove } = options;
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

    /** A wrong password or code counts as a failed sign-in. What it answers belongs into the transaction that erases. */
    confirmPerson: (caller: SessionCaller, proof: GivenProof, visitor: Visitor): Promise<HoldProof> =>
      prove(caller, proof, visitor),

    /**
     * The person leaves every workspace and can sign in nowhere, with the commit. Their own wish is refused while a workspace
     * would be left without an admin; the operator's is not.
     */
    closePerson: (tx: Tx, userId: number, { evenLastAdmin }: { evenLastAdmin: boolean }): Promise<void> =>
      changeIdentities(async (inner) => {
        const store = erasingStore(inner);
        if (!(await personStore(inner).hold(userId))) throw userNotFound();
        const alone = await store.lockLastAdminships(userId);
        if (alone.length > 0 && !evenLastAdmin) throw lastAdminErased(alone);
        const now = clock.now();
        for (const brandId of await sessionStore(inner).listWorkplaceIds(userId))
          await leaveWorkspace(options, inner, brandId, userId, now);
        await forgetSignIn(inner, userId);
        await store.close(userId, now);
      }, tx),

    listAddresses: (tx: Db | Tx, userId: number) => erasingStore(tx).listAddresses(userId),

    listPhotoKeys: (userId: number) => erasingStore(db).listPhotoKeys(userId),

    /** Every workspace that the person is or was in. */
    listPastWorkplaces: (tx: Db | Tx, userId: number) => erasingStore(tx).listPastWorkplaces(userId),

    forgetPerson: (tx: Tx, userId: number): Promise<void> =>
      changeIdentities((inner) => erasingStore(inner).forget(userId), tx),

    /** Everybody leaves the workspace, with the commit. */
    closeWorkspace: (tx: Tx, brandId: number): Promise<void> =>
      changeIdentities((inner) => erasingStore(inner).closeWorkspace(brandId, clock.now()), tx),

    listWorkspacePhotoKeys: (brandId: number) => erasingStore(db).listWorkspacePhotoKeys(brandId),
  };
}

/** The second factor and who the person is at a provider, for one who is to be forgotten. Belongs inside `changeIdentities`. */
export async function forgetSignIn(tx: Tx, userId: number): Promise<void> {
  await challengeStore(tx).removeChallengesOf(userId);
  await mfaStore(tx).removeFactor(userId);
  await oidcStore(tx).unlinkAll(userId);
  await proofStore(tx, userId).removeCode();
}
