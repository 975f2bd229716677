import { sql } from 'kysely';
import type { Db } from '../database/database.js';

export const MOST_ATTEMPTS = 10;

/** Asks for a pass by its name as part of the caller's transaction. It needs nothing of the runner, so threads can ask too. */
export async function addJob(db: Db, name: string): Promise<void> {
  // Without a job key on purpose: with one, transactions that ask for the same pass would wait for each other's
  // commit and could lock each other out. Passes that were asked for twice are merged when they start.
  await sql`select from graphile_worker.add_job(
    ${name}::text, '{}'::json, max_attempts => ${MOST_ATTEMPTS}::int)`.execute(db);
}
