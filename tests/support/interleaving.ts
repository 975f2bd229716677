import { expect } from 'vitest';
import type { World } from './app.js';

type Database = Pick<World, 'database'>;
/** A statement and its parameters. */
export type Statement = [text: string, ...parameters: unknown[]];

/**
 * Runs the statement in a transaction of its own and starts the calls, each when those before it wait for a lock or have answered. Then
 * it commits, and answers what they answered. PostgreSQL lets those that wait for one row have it in the order of their coming.
 */
export async function behind<T>(
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
    // Whatever it holds still ends with its connection.
    holder.release(true);
  }
}

/** What sign-ins, new passwords and joins of a person wait for. */
export const holdPerson = ({ user_id }: { user_id: number }): Statement => [
  'select from users where user_id = $1 for no key update',
  user_id,
];
