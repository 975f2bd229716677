import { endsWithin } from '../../../kernel/async.js';
import { FairQueue } from '../../../kernel/fair-queue.js';
import type { Forge } from '../adapter/forge.js';

/** Work without progress for this long is slow: it continues, but its caller no longer waits. */
const SLOW_AFTER_MS = 1500;
const STOP_MS = 2000;
const MOST_AT_ONCE = 24;
const MOST_SLOW = 200;

export type HostQueue = ReturnType<typeof createHostQueue>;

/**
 * Limits concurrent work and keeps slow hosts from delaying others: a job waits for work only while it makes
 * progress. Slow work continues during later runs of the job and is not started twice.
 */
export function createHostQueue() {
  const running = new Map<string, Promise<unknown>>();
  const quick = new FairQueue({ places: MOST_AT_ONCE });

  return {
    isRunning: (key: string): boolean => running.has(key),

    async run<T>(key: string, work: (onProgress: () => void) => Promise<T>): Promise<T | undefined> {
      if (running.has(key) || running.size >= MOST_SLOW) return undefined;
      let slow = () => {};
      let timer: NodeJS.Timeout | undefined;
      const tooSlow = new Promise<undefined>((resolve) => {
        slow = () => resolve(undefined);
      });
      const onProgress = () => {
        clearTimeout(timer);
        timer = setTimeout(slow, SLOW_AFTER_MS);
      };
      const done = (async () => {
        const place = await quick.enter('hosts');
        // Slow work frees its slot for other work.
        void tooSlow.then(() => place.leave());
        onProgress();
        try {
          return await work(onProgress);
        } finally {
          place.leave();
        }
      })();
      running.set(key, done);
      const ended = done.finally(() => {
        clearTimeout(timer);
        running.delete(key);
      });
      ended.catch(() => {});
      return Promise.race([ended, tooSlow]);
    },

    stop: (): Promise<boolean> => endsWithin(STOP_MS, Promise.allSettled([...running.values()])),
  };
}

/** Wraps a host so that each call and answer counts as progress. */
export const reportProgress = (forge: Forge, onProgress: () => void): Forge =>
  new Proxy(forge, {
    get(target, verb) {
      const call = Reflect.get(target, verb);
      if (typeof call !== 'function') return call;
      return async (...given: unknown[]) => {
        onProgress();
        try {
          return await Reflect.apply(call, target, given);
        } finally {
          onProgress();
        }
      };
    },
  });
