import type pg from 'pg';

/** How long requests wait for a connection. */
export interface PoolWaits {
  /** Of the one that has waited longest and waits still, in milliseconds; 0 when nobody does. */
  oldestMs(): number;
  /** Told of every wait once it is over. */
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
      for (const tell of listeners) tell(seconds);
    }
  };
  return {
    connect: () => (pool.idleCount > 0 ? pool.connect() : connectLater()),
    oldestMs() {
      // A set keeps the order in which they came.
      for (const { since } of waiting) return performance.now() - since;
      return 0;
    },
    observe: (listener) => void listeners.push(listener),
  };
}
