import type { SessionCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { SecretBox } from '../../../platform/secrets/secret-box.js';
import {
  digestRecoveryCode,
  findFreshStep,
  newRecoveryCodes,
  newTotpSecret,
  totpPlace,
  totpUri,
} from '../credentials/codes.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { challengeStore, mfaStore } from '../credentials/mfa.store.js';
import { recordPersonAudit } from '../credentials/person-audit.js';
import { sessionStore } from '../credentials/sessions.store.js';
import type { StillAllowed } from '../credentials/still-allowed.js';
import {
  codeNotConfirmed,
  totpAlreadySet,
  totpNotBegun,
  totpNotSet,
  userNotFound,
} from '../identity.errors.js';
import { personStore } from '../people/people.store.js';
import type { Visitor } from '../sessions/visitor.js';
import type { GivenProof, Prove } from './proof.service.js';

interface MfaOptions {
  db: Db;
  clock: Clock;
  secrets: SecretBox;
  changeIdentities: ChangeIdentities;
  prove: Prove;
  requireStillSignedIn: StillAllowed['requireStillSignedIn'];
}

/** How a person sets up and gives up their second factor. */
export function createMfaService(options: MfaOptions) {
  const { db, clock, secrets, changeIdentities, prove, requireStillSignedIn } = options;
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
        await requireStillSignedIn(tx, caller);
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

    async remove(caller: SessionCaller, proof: GivenProof, visitor: Visitor): Promise<void> {
      const holdProof = await prove(caller, proof, visitor);
      await changeIdentities(async (tx) => {
        await holdProof(tx);
        if (!(await mfaStore(tx).removeFactor(caller.userId))) throw totpNotSet();
        await challengeStore(tx).removeChallengesOf(caller.userId);
        await record(tx, caller, 'totp.removed');
      });
    },

    /**
     * For somebody who lost it and their recovery codes: the operator has made sure who asks. They sign in anew with what is left.
     * Answers whom to tell.
     */
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
