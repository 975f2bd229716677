import { type Clock, DAY, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Db } from '../../../platform/database/database.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { failingStore } from './failing-webhooks.store.js';

const MOST_DAYS = 5;
const REASON = 'Nothing but failures for five days';
const NOTICE_LEASE = 5 * MINUTE;
const NOTICES_AT_ONCE = 20;

/** Writes to the admins of a workspace; false when none could be reached. */
export type TellAdmins = (
  brandId: number,
  letter: { subject: string; paragraphs: [string, string] },
) => Promise<boolean>;

export interface FailingOptions {
  db: Db;
  clock: Clock;
  tellAdmins: TellAdmins;
}

/** Turns off webhooks that failed on each of five days, and notifies the admins after the commit. */
export function createFailingCheck({ db, clock, tellAdmins }: FailingOptions) {
  const store = failingStore(db);
  return async (signal: AbortSignal): Promise<PassResult> => {
    const now = clock.now();
    await store.disable(secondsFrom(now, -MOST_DAYS * DAY), MOST_DAYS, REASON, now);
    const result: PassResult = { processed: 0, failed: 0 };
    const notices = await store.claimNotices(now, secondsFrom(now, NOTICE_LEASE), NOTICES_AT_ONCE);
    for (const { webhook_id, brand_id, url } of notices) {
      if (signal.aborted) break;
      // Only the host, since the rest of the address is often a secret.
      const { host } = new URL(url);
      const isSent = await tellAdmins(brand_id, {
        subject: `The webhook to ${host} was turned off`,
        paragraphs: [
          `Guildhall could not deliver anything to the webhook at ${host} for five days, and has turned it off.`,
          'Once the receiver works again, turn it on in the settings of the workspace or with PATCH enabled: true. What happens meanwhile is not recorded for it.',
        ],
      });
      if (isSent) await store.noteNotice(webhook_id);
      if (isSent) result.processed += 1;
      else result.failed += 1;
    }
    return result;
  };
}
