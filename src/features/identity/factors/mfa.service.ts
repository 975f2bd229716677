import type { SessionCaller } from '../../../kernel/access.js';
import type { Tx } from '../../../platform/database/database.js';
import { challengeStore, mfaStore } from '../credentials/mfa.store.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { recordPersonAudit } from '../credentials/sign-in-audit.js';
import {
  digestRecoveryCode,
  findFreshStep,
  newRecoveryCodes,
  newTotpSecret,
  totpSealName,
  totpUri,
} from '../credentials/totp-codes.js';
import {
  codeNotConfirmed,
  totpAlreadySet,
  totpNotBegun,
  totpNotSet,
  userNotFound,
} from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { SignInContext } from '../sessions/session-opener.js';
import type { ClientInfo } from '../sessions/sign-in-cookies.js';
import type { ProofInput, Prove } from './proof.service.js';

interface MfaOptions extends SignInContext {
  prove: Prove;
}

export function createMfaService(options: MfaOptions) {
  const { db, clock, secrets, changeIdentities, prove, requireStillSignedIn } = options;
  const record = (tx: Tx, caller: SessionCaller, action: string) =>
    recordPersonAudit(tx, caller.userId, { actor: caller, action, at: clock.now() });

  return {
    /** Sign-in requires no code before the secret is confirmed. A further call replaces the secret. */
    async begin({ userId, email }: SessionCaller): Promise<{ secret: string; uri: string }> {
      const secret = newTotpSecret();
      const sealed = secrets.seal(secret, totpSealName(userId));
      if (!(await mfaStore(db).beginFactor(userId, sealed, clock.now()))) throw totpAlreadySet();
      return { secret, uri: totpUri(secret, email) };
    },

    confirm: (caller: SessionCaller, code: string): Promise<string[]> =>
      changeIdentities(async (tx) => {
        const { userId } = caller;
        await requireStillSignedIn(tx, caller);
        const store = mfaStore(tx);
        const now = clock.now();
        const factor = await store.lockFactor(userId);
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

    async remove(caller: SessionCaller, proof: ProofInput, client: ClientInfo): Promise<void> {
      const recheckProof = await prove(caller, proof, client);
      await changeIdentities(async (tx) => {
        await recheckProof(tx);
        if (!(await mfaStore(tx).removeFactor(caller.userId))) throw totpNotSet();
        await challengeStore(tx).removeChallengesOf(caller.userId);
        await record(tx, caller, 'totp.removed');
      });
    },

    /** For a person who lost their authenticator and recovery codes. Returns the address to notify. */
    removeLost: (userId: number, actor: { kind: string }): Promise<{ email: string; full_name: string }> =>
      changeIdentities(async (tx) => {
        const person = await personStore(tx).findPerson(userId);
        if (!person) throw userNotFound();
        if (!(await mfaStore(tx).removeFactor(userId))) throw totpNotSet();
        await challengeStore(tx).removeChallengesOf(userId);
        await sessionStore(tx).deleteSessionsOf(userId);
        await recordPersonAudit(tx, userId, { actor, action: 'totp.removed', at: clock.now() });
        return person;
      }),
  };
}
