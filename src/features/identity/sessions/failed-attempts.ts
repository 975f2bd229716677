import { MINUTE } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import { TOO_MANY_ATTEMPTS } from '../identity.errors.js';

/** Who may be wrong here: an address, mostly about an account, perhaps from a browser that this account signed in with before. */
export interface Attempt {
  address: string;
  /** The account's folded name, whether there is such an account or not. */
  account?: string;
  browser?: string;
}

export type FailedAttempts = ReturnType<typeof createFailedAttempts>;

const BY_ACCOUNT = 10;
const BY_ADDRESS = 100;

/**
 * Limits how often somebody may be wrong, by account and by address. An address is limited in how many accounts it is wrong about, not
 * in how often one of them is, so that many people behind one address can mistype. A browser that an account signed in with
 * before has a count of its own: it is not refused for what strangers do, and what it gets wrong still counts for the account.
 */
export function createFailedAttempts(
  rateLimits: RateLimits,
  tellLockOut: (account: string | undefined) => Promise<void>,
) {
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
  const told = limit('sign-in-told', 1);

  type GiveBack = () => Promise<void>;
  type Refuse = (error: unknown) => Promise<never>;
  /** What is done when the one or the other is locked, before the refusal goes on. */
  interface Refusals {
    ofAccount: Refuse;
    ofAddress: Refuse;
  }

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
    // The name may be long and is kept many times.
    const mark = account === undefined ? undefined : sha256Hex(account).slice(0, 16);
    const { fresh } = await byAddress.take(address, mark).catch(refuse.ofAddress);
    const leaveAddress = async () => {
      if (fresh) await byAddress.giveBack(address, mark);
    };
    if (account === undefined) return leaveAddress;
    await byAccount.take(account).catch(async (error) => {
      await leaveAddress();
      return refuse.ofAccount(error);
    });
    return async () => {
      await leaveAddress();
      await byAccount.giveBack(account);
    };
  }

  const take = ({ address, account, browser }: Attempt, refuse: Refusals): Promise<GiveBack> =>
    account !== undefined && browser !== undefined
      ? takeForBrowser(account, browser, refuse)
      : takeForStranger(address, account, refuse);

  /** Once a lock-out: whoever goes on knocking does not fill the record, with one name or with many. */
  const tell =
    (locked: string, account: string | undefined): Refuse =>
    async (error) => {
      if (error instanceof ApiError && (await told.tryTake(locked)).ok) await tellLockOut(account);
      throw error;
    };

  const pass: Refuse = async (error) => {
    throw error;
  };

  return {
    /**
     * Counts the attempt as a failure until it has succeeded, so that many at once cannot outrun the limit. `whenLocked` is done for
     * an account that is locked, where the refusal must not come sooner than another one would.
     */
    async countingFailures<T>(
      attempt: Attempt,
      work: () => Promise<T>,
      whenLocked: () => Promise<unknown> = async () => {},
    ): Promise<T> {
      const { account, address } = attempt;
      const giveBack = await take(attempt, {
        ofAddress: tell(`address:${address}`, undefined),
        async ofAccount(error) {
          if (error instanceof ApiError) await whenLocked();
          return tell(`account:${account}`, account)(error);
        },
      });
      try {
        const result = await work();
        await giveBack();
        return result;
      } catch (error) {
        // Only a refusal is the caller's failure: neither a fault of ours nor a wish that breaks a rule is held against them.
        if (!isRefusal(error)) await giveBack();
        throw error;
      }
    },

    /** Whether an attempt would be refused now; it leaves no trace. */
    async isLocked(attempt: Attempt): Promise<boolean> {
      const giveBack = await take(attempt, { ofAccount: pass, ofAddress: pass }).catch((error) => {
        if (error instanceof ApiError) return undefined;
        throw error;
      });
      await giveBack?.();
      return giveBack === undefined;
    },
  };
}

const isRefusal = (error: unknown) =>
  error instanceof ApiError && (error.status === 400 || error.status === 401);
