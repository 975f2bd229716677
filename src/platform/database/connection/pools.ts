import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** A read on a replica. Work that continues after the read runs on the primary. */
interface LaggingRead {
  replica: Pick<pg.Pool, 'connect'>;
  ended: boolean;
}

/** Selects the connections of the current work. Undefined selects those for requests. */
type Purpose = 'background' | 'urgent' | LaggingRead;

const purpose = new AsyncLocalStorage<Purpose>();

/**
 * Runs work that no caller waits for, on separate connections, so that it does not take connections from
 * requests.
 */
export const inBackground = <T>(work: () => T): T => purpose.run('background', work);

/** Runs work that must not wait for other work, such as heartbeats, on a few reserved connections. */
export const urgently = <T>(work: () => T): T => purpose.run('urgent', work);

export async function onReplica<T>(replica: LaggingRead['replica'], work: () => Promise<T>): Promise<T> {
  const read: LaggingRead = { replica, ended: false };
  try {
    return await purpose.run(read, work);
  } finally {
    read.ended = true;
  }
}

export const currentPurpose = (): Purpose | undefined => {
  const present = purpose.getStore();
  return typeof present === 'object' && present.ended ? undefined : present;
};

export interface PoolWaits {
  /** How long the oldest request has waited, in milliseconds, or 0 when none is waiting. */
  oldestMs(): number;
  /** Calls the listener after every wait. */
  observe(listener: (seconds: number) => void): void;
}

export interface WatchedPool extends PoolWaits {
  connect(): Promise<pg.PoolClient>;
}

export function watchWaits(pool: pg.Pool): WatchedPool {
  const waiting = new Set<{ since: number }>();
  const listeners: ((seconds: number) => void)[] = [];
  const connectLater = async () => {
    const wait = { since: performance.now() };
    waiting.add(wait);
    try {
      return await pool.connect();
    } finally {
      waiting.delete(wait);
      const seconds = (performance.now() - wait.since) / 1000;
      for (const notify of listeners) notify(seconds);
    }
  };
  return {
    connect: () => (pool.idleCount > 0 ? pool.connect() : connectLater()),
    oldestMs() {
      for (const { since } of waiting) return performance.now() - since;
      return 0;
    },
    observe: (listener) => void listeners.push(listener),
  };
}
