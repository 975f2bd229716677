import { foldAccountName } from '../../../kernel/account-names.js';
import { type Clock, HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import { recordPersonAudit } from '../credentials/person-audit.js';
import type { FailedAttempts } from '../sessions/failed-attempts.js';
import type { Visitor } from '../sessions/visitor.js';
import { type ResetRequest, resetRequestStore } from './passwords.store.js';

/** Writes the letters to people who forgot their password. */
export const PASSWORD_MAIL_JOB = 'password-mail';

const BATCH = 100;
/** Somebody who began to send and has not ended by then never will. */
const CLAIM = 5 * MINUTE;
/** After that the person has asked again, or does not wait any more. */
const PATIENCE = HOUR;
/** No account has this name. */
const NOBODY = '';

interface ForgottenOptions {
  db: Db;
  clock: Clock;
  jobs: Pick<Jobs, 'trigger'>;
  rateLimits: RateLimits;
  failures: FailedAttempts;
  createPasswordReset: (tx: Tx, userId: number) => Promise<string>;
}

export interface ResetLetter {
  email: string;
  fullName: string;
  token: string;
}

type Send = (letter: ResetLetter) => Promise<void>;

/** Without a letter when nobody is called so. */
interface ClaimedLetter {
  id: string;
  letter: ResetLetter | undefined;
}

export function createForgottenPasswordService(options: ForgottenOptions) {
  const { db, clock, jobs, rateLimits, failures, createPasswordReset } = options;
  const limit = (name: string, points: number, ofAddresses = false) =>
    rateLimits.limiter(name, { points, durationSeconds: 15 * MINUTE, ofAddresses });
  const byAccount = limit('forgotten-account', 10);
  const byAddress = limit('forgotten-address', 100, true);

  async function isAllowed(account: string, { address }: Visitor): Promise<boolean> {
    const [locked, ofAddress, ofAccount] = [
      await failures.isLocked({ address, account }),
      await byAddress.tryTake(address),
      await byAccount.tryTake(account),
    ];
    return !locked && ofAddress.ok && ofAccount.ok;
  }

  const describeLetter = async (
    tx: Tx,
    { user_id, email, full_name, address }: ResetRequest,
  ): Promise<ResetLetter | undefined> => {
    if (user_id === null) return undefined;
    const token = await createPasswordReset(tx, user_id);
    await recordPersonAudit(tx, user_id, {
      actor: { kind: 'anonymous' },
      action: 'password.reset-requested',
      at: clock.now(),
      address,
    });
    return { email: email!, fullName: full_name!, token };
  };

  const claimLetters = (): Promise<ClaimedLetter[]> =>
    inTransaction(db, async (tx) => {
      const now = clock.now();
      const requests = await resetRequestStore(tx).claimRequests(now, secondsFrom(now, -CLAIM), BATCH);
      const letters: ClaimedLetter[] = [];
      for (const request of requests)
        letters.push({ id: request.request_id, letter: await describeLetter(tx, request) });
      return letters;
    });

  /** Which of them need nothing more. */
  async function sendEach(letters: ClaimedLetter[], send: Send): Promise<string[]> {
    const done: string[] = [];
    for (const { id, letter } of letters) {
      const sent =
        !letter ||
        (await send(letter).then(
          () => true,
          () => false,
        ));
      if (sent) done.push(id);
    }
    return done;
  }

  return {
    /** The same steps whoever is asked for, also when the limit is reached: what comes of it is decided later, by nobody's clock. */
    async requestReset(email: string, visitor: Visitor): Promise<void> {
      const name = foldAccountName(email);
      const account = (await isAllowed(name, visitor)) ? name : NOBODY;
      await inTransaction(db, async (tx) => {
        await resetRequestStore(tx).insertRequest(account, visitor.address, clock.now());
        await jobs.trigger(tx, PASSWORD_MAIL_JOB);
      });
    },

    /** Sends what was asked for. A letter that could not be sent is tried again, with a new link, until nobody waits for it. */
    async sendResetLetters(send: Send) {
      await resetRequestStore(db).removeOlderThan(secondsFrom(clock.now(), -PATIENCE));
      const sum = { processed: 0, failed: 0 };
      // To the end of the list, so that nobody waits behind whoever fills it with names; when the relay is away the rest waits too.
      for (let claimed = BATCH; claimed === BATCH && sum.failed === 0; ) {
        const letters = await claimLetters();
        claimed = letters.length;
        const done = await sendEach(letters, send);
        await resetRequestStore(db).removeRequests(done);
        sum.processed += done.length;
        sum.failed += claimed - done.length;
      }
      return sum;
    },
  };
}
