import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../../kernel/log.js';

const PAUSE_MS = 500;

/**
 * The pool as graphile-worker's schedule sees it. A question of the schedule that failed would end the whole queue by a
 * rejection that nobody can catch; so it is asked again until the database answers, and the schedule catches up.
 * After the end it is told that there is nothing.
 */
export function patientPool(pool: Pool, { log, ended }: { log: Log; ended: AbortSignal }): Pool {
  const query = async (text: string, values?: unknown[]): Promise<{ rows: unknown[] }> => {
    while (!ended.aborted) {
      try {
        return await pool.query(text, values);
      } catch (error) {
        log.warn(
          { err: error },
          'The schedule of background work cannot be read or written; it is tried again',
        );
        await pause(PAUSE_MS, undefined, { signal: ended, ref: false }).catch(() => undefined);
      }
    }
    return { rows: [] };
  };
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'query') return query;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
