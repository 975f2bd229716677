import { expect } from 'vitest';
import type { World } from './app.js';

type Database = Pick<World, 'database'>;
export type Statement = [text: string, ...parameters: unknown[]];

/**
 * Runs the statement in its own transaction and starts the calls, each after the previous ones have answered
 * or wait for a lock. Then commits and returns the answers. PostgreSQL grants a row lock in the order of the
 * requests.
 */
export async function callWhileLocked<T>(
  { database }: Database,
  [text, ...parameters]: Statement,
  ...calls: (() => Promise<T>)[]
): Promise<T[]> {
  const holder = await database.pool.connect();
  let unanswered = 0;
  const waiting = async () => {
    const { rows } = await database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length >= unanswered;
  };
  try {
    await holder.query('begin');
    await holder.query(text, parameters);
    const answers: Promise<T>[] = [];
    for (const call of calls) {
      unanswered += 1;
      answers.push(
        call().finally(() => {
          unanswered -= 1;
        }),
      );
      await expect.poll(waiting, { timeout: 120_000 }).toBe(true);
    }
    await holder.query('commit');
    return await Promise.all(answers);
  } finally {
    // Destroys the connection, which releases any locks it still holds.
    holder.release(true);
  }
}

/** Locks the row that sign-ins, password changes and joins of a person wait for. */
export const holdPerson = ({ user_id }: { user_id: number }): Statement => [
  'select from users where user_id = $1 for no key update',
  user_id,
];
