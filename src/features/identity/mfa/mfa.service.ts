import type { Db, Tx } from '../../../database/database.js';
import type { SessionCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { SecretBox } from '../../../services/secret-box.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { codeNotConfirmed, totpAlreadySet, totpNotBegun, totpNotSet } from '../identity.errors.js';
import type { ProvePassword } from '../passwords/password-proof.js';
import { recordPersonAudit } from '../people/person-audit.js';
import type { Visitor } from '../sessions/visitor.js';
import { findFreshStep, totpPlace } from './codes.js';
import { challengeStore, mfaStore } from './mfa.store.js';
import { digestRecoveryCode, newRecoveryCodes } from './recovery-codes.js';
import { newTotpSecret, totpUri } from './totp.js';

interface MfaOptions {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  changeIdentities: ChangeIdentities;
  provePassword: ProvePassword;
}

/** How a person sets up and gives up their second factor. */
export function createMfaService({ db, clock, secrets, changeIdentities, provePassword }: MfaOptions) {
  const record = (tx: Tx, caller: SessionCaller, action: string) =>
    recordPersonAudit(tx, caller.userId, { actor: caller, action, at: clock.now() });

  return {
    /** Nothing is asked for at sign-in before the secret is confirmed; a further call begins anew. */
    async begin({ userId, email }: SessionCaller): Promise<{ secret: string; uri: string }> {
      const secret = newTotpSecret();
      const sealed = secrets.seal(secret, totpPlace(userId));
      if (!(await mfaStore(db).beginFactor(userId, sealed, clock.now()))) throw totpAlreadySet();
      return { secret, uri: totpUri(secret, email) };
    },

    confirm: (caller: SessionCaller, code: string): Promise<string[]> =>
      changeIdentities(async (tx) => {
        const { userId } = caller;
        const store = mfaStore(tx);
        const now = clock.now();
        const factor = await store.holdFactor(userId);
        if (!factor) throw totpNotBegun();
        if (factor.confirmed_at) throw totpAlreadySet();
        const step = findFreshStep(secrets, userId, factor, code, now);
        if (step === undefined) throw codeNotConfirmed();
        const codes = newRecoveryCodes();
        await store.confirmFactor(userId, step, now);
        await store.replaceRecoveryCodes(userId, codes.map(digestRecoveryCode));
        await record(tx, caller, 'totp.set');
        return codes;
      }),

    async remove(caller: SessionCaller, password: string, visitor: Visitor): Promise<void> {
      await provePassword(caller, password, visitor);
      await changeIdentities(async (tx) => {
        if (!(await mfaStore(tx).removeFactor(caller.userId))) throw totpNotSet();
        await challengeStore(tx).removeChallengesOf(caller.userId);
        await record(tx, caller, 'totp.removed');
      });
    },
  };
}
