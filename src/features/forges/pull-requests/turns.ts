import { endsWithin } from '../../../kernel/deadline.js';
import { FairQueue } from '../../../kernel/fair-queue.js';
import type { Forge } from '../adapter/forge.js';

/** Work that is still under way after so long is left to itself: nobody waits for the slow. */
const SLOW_AFTER_MS = 1500;
const STOP_MS = 2000;
const MOST_AT_ONCE = 24;
const MOST_SLOW = 200;

export type Turns = ReturnType<typeof createTurns>;

/**
 * Keeps hosts out of each other's way: each piece of work goes on by itself, and a pass waits for it only as long as it gets
 * on. What takes long goes on beside the passes, and is not begun twice meanwhile.
 */
export function createTurns() {
  const running = new Map<string, Promise<unknown>>();
  const quick = new FairQueue({ places: MOST_AT_ONCE });

  return {
    isRunning: (key: string): boolean => running.has(key),

    /** Undefined when the work goes on without the caller, or was under way already. */
    async begin<T>(key: string, work: (getsOn: () => void) => Promise<T>): Promise<T | undefined> {
      if (running.has(key) || running.size >= MOST_SLOW) return undefined;
      let slow = () => {};
      let timer: NodeJS.Timeout | undefined;
      const tooSlow = new Promise<undefined>((resolve) => {
        slow = () => resolve(undefined);
      });
      const getsOn = () => {
        clearTimeout(timer);
        timer = setTimeout(slow, SLOW_AFTER_MS);
      };
      const done = (async () => {
        const place = await quick.enter('hosts');
        // Its place is another's as soon as it is slow.
        void tooSlow.then(() => place.leave());
        getsOn();
        try {
          return await work(getsOn);
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

    /** What is still under way has a moment to end. */
    stop: (): Promise<boolean> => endsWithin(STOP_MS, Promise.allSettled([...running.values()])),
  };
}

/** The same host; each of its answers shows that the work gets on. */
export const watched = (forge: Forge, getsOn: () => void): Forge =>
  new Proxy(forge, {
    get(target, verb) {
      const call = Reflect.get(target, verb);
      if (typeof call !== 'function') return call;
      return async (...given: unknown[]) => {
        getsOn();
        try {
          return await Reflect.apply(call, target, given);
        } finally {
          getsOn();
        }
      };
    },
  });
