import { MINUTE } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import type { RateLimits } from '../../../services/rate-limits.js';
import { TOO_MANY_ATTEMPTS } from '../identity.errors.js';

export type FailedAttempts = ReturnType<typeof createFailedAttempts>;

/** Limits how often somebody may be wrong, by account and by address. */
export function createFailedAttempts(rateLimits: RateLimits) {
  const limit = (name: string, points: number) =>
    rateLimits.limiter(name, { points, durationSeconds: 15 * MINUTE, detail: TOO_MANY_ATTEMPTS });
  const byAccount = limit('sign-in-account', 10);
  const byAddress = limit('sign-in-address', 100);

  /** Counts the attempt as a failure until it has succeeded, so that many at once cannot outrun the limit. */
  return async function countingFailures<T>(
    address: string,
    account: string | undefined,
    attempt: () => Promise<T>,
  ): Promise<T> {
    await byAddress.take(address);
    if (account !== undefined) {
      await byAccount.take(account).catch(async (error) => {
        await byAddress.giveBack(address);
        throw error;
      });
    }
    const forget = async () => {
      await byAddress.giveBack(address);
      if (account !== undefined) await byAccount.giveBack(account);
    };
    try {
      const result = await attempt();
      await forget();
      return result;
    } catch (error) {
      // Only a refusal is the caller's failure; a fault of ours is not held against them.
      if (!(error instanceof ApiError)) await forget();
      throw error;
    }
  };
}
