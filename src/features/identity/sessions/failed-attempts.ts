import { foldAccountName } from '../../../kernel/addresses.js';
import { MINUTE } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import type { SignInAudit } from '../credentials/sign-in-audit.js';
import { TOO_MANY_ATTEMPTS } from '../identity.errors.js';
import type { KnownBrowsers } from './sign-in-cookies.js';

export interface Attempt {
  address: string;
  /** Of the account, whether it exists or not. */
  email?: string;
  knownBrowser?: string;
}

interface FailedAttemptOptions {
  rateLimits: RateLimits;
  knownBrowsers: Pick<KnownBrowsers, 'idFor'>;
  signInAudit: Pick<SignInAudit, 'recordLockOut'>;
}

export type FailedAttempts = ReturnType<typeof createFailedAttempts>;

const BY_ACCOUNT = 10;
const BY_ADDRESS = 100;

type GiveBack = () => Promise<void>;
type Refuse = (error: unknown) => Promise<never>;

/** Called when the account or the address is locked, before the caller gets the error. */
interface Refusals {
  ofAccount: Refuse;
  ofAddress: Refuse;
}

/**
 * Limits failed attempts by account and by address; an address by the number of distinct accounts, so that
 * many people behind one address can mistype. A browser that an account signed in with before has its own
 * count: strangers cannot lock it out, and its failures still count for the account.
 */
export function createFailedAttempts({ rateLimits, knownBrowsers, signInAudit }: FailedAttemptOptions) {
  const limit = (name: string, points: number, ofAddresses = false) =>
    rateLimits.limiter(name, {
      points,
      durationSeconds: 15 * MINUTE,
      detail: TOO_MANY_ATTEMPTS,
      ofAddresses,
    });
  const byAccount = limit('sign-in-account', BY_ACCOUNT);
  const byAddress = limit('sign-in-address', BY_ADDRESS, true);
  const byBrowser = limit('sign-in-browser', BY_ACCOUNT);
  const lockOuts = limit('sign-in-told', 1);

  async function takeForBrowser(account: string, browser: string, refuse: Refusals): Promise<GiveBack> {
    const key = `${browser}:${account}`;
    await byBrowser.take(key).catch(refuse.ofAccount);
    const { ok } = await byAccount.tryTake(account);
    return async () => {
      await byBrowser.giveBack(key);
      if (ok) await byAccount.giveBack(account);
    };
  }

  async function takeForStranger(
    address: string,
    account: string | undefined,
    refuse: Refusals,
  ): Promise<GiveBack> {
    // A digest, because the name may be long and is stored many times.
    const mark = account === undefined ? undefined : sha256Hex(account).slice(0, 16);
    const { fresh } = await byAddress.take(address, mark).catch(refuse.ofAddress);
    const giveBackAddress = async () => {
      if (fresh) await byAddress.giveBack(address, mark);
    };
    if (account === undefined) return giveBackAddress;
    await byAccount.take(account).catch(async (error) => {
      await giveBackAddress();
      return refuse.ofAccount(error);
    });
    return async () => {
      await giveBackAddress();
      await byAccount.giveBack(account);
    };
  }

  function take({ address, knownBrowser }: Attempt, account: string | undefined, refuse: Refusals) {
    const browser = account === undefined ? undefined : knownBrowsers.idFor(knownBrowser, account);
    return account !== undefined && browser !== undefined
      ? takeForBrowser(account, browser, refuse)
      : takeForStranger(address, account, refuse);
  }

  /** Records a lockout once, so that further attempts do not fill the audit log. */
  const recordAndThrow =
    (locked: string, account: string | undefined): Refuse =>
    async (error) => {
      if (error instanceof ApiError && (await lockOuts.tryTake(locked)).ok)
        await signInAudit.recordLockOut(account);
      throw error;
    };

  return {
    /**
     * Counts the attempt as a failure until it has succeeded, so that concurrent attempts cannot exceed the
     * limit. `whenLocked` runs for a locked account, so that the refusal takes as long as any other.
     */
    async countingFailures<T>(
      attempt: Attempt,
      work: () => Promise<T>,
      whenLocked: () => Promise<unknown> = async () => {},
    ): Promise<T> {
      const account = accountOf(attempt);
      const giveBack = await take(attempt, account, {
        ofAddress: recordAndThrow(`address:${attempt.address}`, undefined),
        async ofAccount(error) {
          if (error instanceof ApiError) await whenLocked();
          return recordAndThrow(`account:${account}`, account)(error);
        },
      });
      try {
        const result = await work();
        await giveBack();
        return result;
      } catch (error) {
        // Only a wrong credential counts, not an internal error or an invalid request.
        if (!isRefusal(error)) await giveBack();
        throw error;
      }
    },

    /** Does not count as an attempt. */
    async isLocked(attempt: Attempt): Promise<boolean> {
      const rethrow: Refuse = async (error) => {
        throw error;
      };
      try {
        const refusals = { ofAccount: rethrow, ofAddress: rethrow };
        const giveBack = await take(attempt, accountOf(attempt), refusals);
        await giveBack();
        return false;
      } catch (error) {
        if (error instanceof ApiError) return true;
        throw error;
      }
    },
  };
}

const accountOf = ({ email }: Attempt) => (email === undefined ? undefined : foldAccountName(email));

const isRefusal = (error: unknown) =>
  error instanceof ApiError && (error.status === 400 || error.status === 401);
