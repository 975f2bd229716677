import type { Tx } from '../../../platform/database/database.js';
import { challengeStore, mfaStore } from './mfa.store.js';
import { oidcStore } from './oidc.store.js';
import { proofStore } from './proof.store.js';

/** The second factor and who the person is at a provider, for one who is to be forgotten. Belongs inside `changeIdentities`. */
export async function forgetSignIn(tx: Tx, userId: number): Promise<void> {
  await challengeStore(tx).removeChallengesOf(userId);
  await mfaStore(tx).removeFactor(userId);
  await oidcStore(tx).unlinkAll(userId);
  await proofStore(tx, userId).removeCode();
}
