import type { Tx } from '../../../platform/database/database.js';
import type { BuildDeps } from './build-deps.js';

const WORK_CHANNEL = 'guildhall_build_work';

interface WorkNews {
  brand: number;
  /** Set when only this desk needs to look. */
  desk?: string;
}

/** Wakes desks that wait on this node, whichever node sends the signal. */
export function createWorkSignal({ notifications }: BuildDeps) {
  const waiting = new Map<number, Set<Waiter>>();
  let stopped = false;

  const ring = ({ brand, desk }: WorkNews) => {
    for (const waiter of waiting.get(brand) ?? [])
      if (desk === undefined || waiter.deskId === desk) waiter.wake();
  };
  const ringAll = () => {
    for (const waiters of waiting.values()) for (const { wake } of waiters) wake();
  };
  notifications.subscribe<WorkNews>(WORK_CHANNEL, ring);
  notifications.onGap(ringAll);

  return {
    announce: (tx: Tx, brand: number, desk?: string | null): void =>
      notifications.announce(tx, WORK_CHANNEL, { brand, ...(desk && { desk }) } satisfies WorkNews),

    /** `next` resolves at a signal, after a timeout, or when the caller or the node stops. */
    listen(brandId: number, deskId: string, signal: AbortSignal) {
      let rung = false;
      let resume = () => {};
      const wake = () => {
        rung = true;
        resume();
      };
      const waiter: Waiter = { deskId, wake };
      const waiters = waiting.get(brandId) ?? new Set();
      waiting.set(brandId, waiters.add(waiter));
      signal.addEventListener('abort', wake);
      return {
        get over() {
          return stopped || signal.aborted;
        },
        async next(milliseconds: number): Promise<void> {
          if (!rung && !stopped && !signal.aborted) {
            await new Promise<void>((resolve) => {
              const timer = setTimeout(resolve, milliseconds);
              resume = () => {
                clearTimeout(timer);
                resolve();
              };
            });
          }
          rung = false;
        },
        close(): void {
          signal.removeEventListener('abort', wake);
          waiters.delete(waiter);
          if (waiters.size === 0) waiting.delete(brandId);
        },
      };
    },

    stop(): void {
      stopped = true;
      ringAll();
    },
  };
}

interface Waiter {
  deskId: string;
  wake(): void;
}

export type WorkSignal = ReturnType<typeof createWorkSignal>;
