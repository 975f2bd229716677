import type { SessionCaller } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/addresses.js';
import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import { challengeStore } from '../credentials/mfa.store.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { recordPersonAudit } from '../credentials/sign-in-audit.js';
import { linkNoLongerValid } from '../identity.errors.js';
import { hashNewPassword } from '../people/password-hash.js';
import { personStore } from '../people/people.store.js';
import type { SignInContext } from '../sessions/session-opener.js';
import type { ClientInfo } from '../sessions/sign-in-cookies.js';
import { passwordResetStore, type ResetRequest, resetRequestStore } from './passwords.store.js';
import type { Prove } from './proof.service.js';

const RESET_LIFETIME = HOUR;
/** Short enough for one line of a plain text mail. */
const RESET_SECRET_BYTES = 16;

interface PasswordOptions extends SignInContext {
  prove: Prove;
}

export type PasswordService = ReturnType<typeof createPasswordService>;

export function createPasswordService(options: PasswordOptions) {
  const { db, clock, changeIdentities, failures, prove } = options;

  /** Ends the person's sessions (except `keptSession`), open challenges and reset links; tokens stay. */
  const setPassword = (tx: Tx, userId: number, passwordHash: string, keptSession?: string): Promise<void> =>
    changeIdentities(async (inner) => {
      await personStore(inner).changePasswordHash(userId, passwordHash);
      await sessionStore(inner).deleteSessionsOf(userId, keptSession);
      await challengeStore(inner).removeChallengesOf(userId);
      await passwordResetStore(inner).endOpenResets(userId, clock.now());
    }, tx);

  return {
    hashNewPassword,
    setPassword,

    /** Call the returned function in a transaction; it keeps the caller's session. */
    async changeOwn(
      caller: SessionCaller,
      { current, new: password }: { current: string; new: string },
      client: ClientInfo,
    ): Promise<(tx: Tx) => Promise<void>> {
      const passwordHash = await hashNewPassword(password, {
        email: caller.email,
        full_name: caller.fullName,
      });
      const recheckProof = await prove(caller, { password: current }, client);
      return async (tx) => {
        await recheckProof(tx);
        await setPassword(tx, caller.userId, passwordHash, caller.sessionId);
        const entry = { actor: caller, action: 'password.changed', at: clock.now() };
        await recordPersonAudit(tx, caller.userId, entry);
      };
    },

    /** Returns the secret of a reset link, of which only the digest is stored. */
    async createPasswordReset(tx: Db | Tx, userId: number): Promise<string> {
      const token = randomSecret(RESET_SECRET_BYTES);
      const now = clock.now();
      await passwordResetStore(tx).insertReset({
        token_hash: sha256Hex(token),
        user_id: userId,
        created_at: now,
        expires_at: secondsFrom(now, RESET_LIFETIME),
      });
      return token;
    },

    resetPassword: (token: string, password: string, address: string): Promise<void> =>
      failures.countingFailures({ address }, async () => {
        const owner = await passwordResetStore(db).findOwner(sha256Hex(token), clock.now());
        if (!owner) throw linkNoLongerValid();
        const passwordHash = await hashNewPassword(password, owner);
        await changeIdentities(async (tx) => {
          const now = clock.now();
          const userId = await passwordResetStore(tx).consumeReset(sha256Hex(token), now);
          if (userId === undefined) throw linkNoLongerValid();
          await setPassword(tx, userId, passwordHash);
          const actor = { kind: 'reset-link', userId };
          await recordPersonAudit(tx, userId, { actor, action: 'password.reset', at: now });
        });
      }),
  };
}

export const PASSWORD_MAIL_JOB = 'password-mail';

const BATCH = 100;
/** A request claimed longer ago than this belongs to a process that died. */
const CLAIM = 5 * MINUTE;
const LONGEST_WAIT = HOUR;
const NOBODY = '';

interface ForgottenOptions extends SignInContext {
  jobs: Pick<Jobs, 'trigger'>;
  rateLimits: RateLimits;
  createPasswordReset: PasswordService['createPasswordReset'];
}

interface ResetMail {
  email: string;
  fullName: string;
  token: string;
}

type Send = (mail: ResetMail) => Promise<void>;

interface ClaimedRequest {
  id: string;
  mail: ResetMail | undefined;
}

export function createForgottenPasswordService(options: ForgottenOptions) {
  const { db, clock, jobs, rateLimits, failures, createPasswordReset } = options;
  const limit = (name: string, points: number, ofAddresses = false) =>
    rateLimits.limiter(name, { points, durationSeconds: 15 * MINUTE, ofAddresses });
  const byAccount = limit('forgotten-account', 10);
  const byAddress = limit('forgotten-address', 100, true);

  async function isAllowed(account: string, address: string): Promise<boolean> {
    const locked = await failures.isLocked({ address, email: account });
    const ofAddress = await byAddress.tryTake(address);
    const ofAccount = await byAccount.tryTake(account);
    return !locked && ofAddress.ok && ofAccount.ok;
  }

  async function prepareMail(tx: Tx, request: ResetRequest): Promise<ResetMail | undefined> {
    const { user_id, email, full_name, address } = request;
    if (user_id === null) return undefined;
    const token = await createPasswordReset(tx, user_id);
    await recordPersonAudit(tx, user_id, {
      actor: { kind: 'anonymous' },
      action: 'password.reset-requested',
      at: clock.now(),
      address,
    });
    return { email: email!, fullName: full_name!, token };
  }

  const claimRequests = (): Promise<ClaimedRequest[]> =>
    inTransaction(db, async (tx) => {
      const now = clock.now();
      const requests = await resetRequestStore(tx).claimRequests(now, secondsFrom(now, -CLAIM), BATCH);
      const claimed: ClaimedRequest[] = [];
      for (const request of requests)
        claimed.push({ id: request.request_id, mail: await prepareMail(tx, request) });
      return claimed;
    });

  async function sendEach(requests: ClaimedRequest[], send: Send): Promise<string[]> {
    const done: string[] = [];
    for (const { id, mail } of requests) {
      const isSent = mail
        ? send(mail)
            .then(() => true)
            .catch(() => false)
        : true;
      if (await isSent) done.push(id);
    }
    return done;
  }

  return {
    /** Takes the same steps for every name, so that the response time reveals nothing. */
    async requestReset(email: string, { address }: ClientInfo): Promise<void> {
      const name = foldAccountName(email);
      const account = (await isAllowed(name, address)) ? name : NOBODY;
      await inTransaction(db, async (tx) => {
        await resetRequestStore(tx).insertRequest(account, address, clock.now());
        await jobs.trigger(tx, PASSWORD_MAIL_JOB);
      });
    },

    /** Sends the requested mails. A failed mail is retried with a new link until the request is too old. */
    async sendResetMails(send: Send) {
      await resetRequestStore(db).removeOlderThan(secondsFrom(clock.now(), -LONGEST_WAIT));
      const sum = { processed: 0, failed: 0 };
      // Many requests must not delay others, so all are processed; after a failure the rest waits.
      for (let claimed = BATCH; claimed === BATCH && sum.failed === 0; ) {
        const requests = await claimRequests();
        claimed = requests.length;
        const done = await sendEach(requests, send);
        await resetRequestStore(db).removeRequests(done);
        sum.processed += done.length;
        sum.failed += claimed - done.length;
      }
      return sum;
    },
  };
}
