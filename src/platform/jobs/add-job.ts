import { sql } from 'kysely';
import type { Db } from '../database/database.js';

export const MOST_ATTEMPTS = 10;

/** Queues a job in the caller's transaction. Independent of the runner, so that worker threads can use it. */
export async function addJob(db: Db, name: string): Promise<void> {
  // Has no job key, because one would make transactions that queue the same job wait for each other or
  // deadlock. Duplicates are merged when they start.
  await sql`select from graphile_worker.add_job(
    ${name}::text, '{}'::json, max_attempts => ${MOST_ATTEMPTS}::int)`.execute(db);
}
