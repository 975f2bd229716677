import { MINUTE } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { isOneOfSecrets } from '../../../kernel/secrets.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import { TOO_MANY_ATTEMPTS } from '../identity.errors.js';

interface AdminKeyOptions {
  adminKeys: readonly string[];
  rateLimits: RateLimits;
  log: Log;
}

/**
 * Whether a key is one of the operator's. Only wrong ones count. As at sign-in, an address that brought too many of them is
 * refused with the right one too, or guessing on would still find out which one it is.
 */
export function createAdminKeyCheck({ adminKeys, rateLimits, log }: AdminKeyOptions) {
  const wrongOnes = rateLimits.limiter('admin-key', {
    points: 100,
    durationSeconds: 15 * MINUTE,
    detail: TOO_MANY_ATTEMPTS,
    ofAddresses: true,
  });

  return async (key: string, address: string): Promise<boolean> => {
    if (isOneOfSecrets(key, adminKeys)) {
      await wrongOnes.check(address);
      return true;
    }
    await wrongOnes.take(address);
    log.warn({ address }, 'A wrong admin key was refused');
    return false;
  };
}
