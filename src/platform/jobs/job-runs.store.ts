import { sql } from 'kysely';
import type { Db } from '../database/database.js';

export interface JobRunRow {
  name: string;
  started_at: Date;
  finished_at: Date;
  error: string | null;
}

export interface QueuedJobs {
  /** The queue's view leaves open whether there is one. */
  name: string | null;
  waiting: number;
  failing: number;
}

export interface WaitingJobs {
  name: string;
  waiting: number;
  oldest_seconds: number;
}

/** What is known of the background work of all nodes. */
export const jobRunStore = (db: Db) => ({
  async record({ name, started_at, finished_at, error }: JobRunRow): Promise<void> {
    await sql`
      insert into job_runs (name, started_at, finished_at, error)
      values (${name}, ${started_at}, ${finished_at}, ${error})
      on conflict (name) do update set
        started_at = excluded.started_at, finished_at = excluded.finished_at, error = excluded.error`.execute(
      db,
    );
  },

  async list(): Promise<JobRunRow[]> {
    const { rows } = await sql<JobRunRow>`
      select name, started_at, finished_at, error from job_runs order by name limit 1000`.execute(db);
    return rows;
  },

  /** What is due and has not begun, by job, and how long the oldest of it waits. */
  async listWaiting(now: Date): Promise<WaitingJobs[]> {
    const { rows } = await sql<WaitingJobs>`
      select coalesce(task_identifier, 'unknown') as name, count(*) as waiting,
        greatest(0, floor(date_part('epoch', ${now}::timestamptz - min(run_at))))::integer as oldest_seconds
      from graphile_worker.jobs where locked_at is null and run_at <= ${now} group by task_identifier`.execute(
      db,
    );
    return rows;
  },

  /** As the queue has them: not taken yet, and tried in vain at least once. */
  async listQueued(): Promise<QueuedJobs[]> {
    const { rows } = await sql<QueuedJobs>`
      select task_identifier as name, count(*) filter (where locked_at is null) as waiting,
        count(*) filter (where last_error is not null) as failing
      from graphile_worker.jobs group by task_identifier`.execute(db);
    return rows;
  },
});
