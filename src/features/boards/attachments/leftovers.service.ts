import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import type { BoardServiceOptions } from '../board/boards.options.js';
import { leftoverStore } from './attachments.store.js';

export const ATTACHMENT_SWEEP = 'attachment-sweep';

const BATCH = 20;
const AGAIN_AFTER = 5 * MINUTE;

export const thumbnailKey = (fileKey: string): string => `${fileKey}.thumb`;

/** Removes from the storage what belongs to nothing: of deleted attachments, and of those that never came to be. */
export function createLeftoverService({ db, clock, images, log }: BoardServiceOptions) {
  const remove = async (key: string): Promise<boolean> => {
    try {
      await images.delete(key);
      await images.delete(thumbnailKey(key));
      return true;
    } catch (fault) {
      log.warn({ err: fault, key }, 'A file could not be removed yet; it is tried again');
      return false;
    }
  };

  const sweepSome = () =>
    inTransaction(db, async (tx) => {
      const store = leftoverStore(tx);
      const keys = await store.lockDue(clock.now(), BATCH);
      const removed: string[] = [];
      for (const key of keys) if (await remove(key)) removed.push(key);
      const left = keys.filter((key) => !removed.includes(key));
      await store.remove(removed);
      await store.postpone(left, secondsFrom(clock.now(), AGAIN_AFTER));
      return { processed: removed.length, failed: left.length };
    });

  return {
    async sweepFiles({ signal }: { signal: AbortSignal }): Promise<PassResult> {
      const sum = { processed: 0, failed: 0 };
      for (let found = 1; found > 0; ) {
        signal.throwIfAborted();
        const { processed, failed } = await sweepSome();
        sum.processed += processed;
        sum.failed += failed;
        found = processed + failed;
      }
      return sum;
    },
  };
}
