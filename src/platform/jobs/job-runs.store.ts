import { sql } from 'kysely';
import { type Clock, secondsFrom } from '../../kernel/clock.js';
import type { Db } from '../database/database.js';
import type { JobRecorder } from './job-runner.js';

interface JobRunRow {
  name: string;
  started_at: Date;
  finished_at: Date;
  error: string | null;
}

interface QueuedJobs {
  /** Nullable in the queue's view. */
  name: string | null;
  waiting: number;
  failing: number;
}

interface WaitingJobs {
  name: string;
  waiting: number;
  oldest_seconds: number;
}

const jobRunStore = (db: Db) => ({
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

  /** Lists due jobs that have not started, with the age of the oldest. */
  async listWaiting(now: Date): Promise<WaitingJobs[]> {
    const { rows } = await sql<WaitingJobs>`
      select coalesce(task_identifier, 'unknown') as name, count(*) as waiting,
        greatest(0, floor(date_part('epoch', ${now}::timestamptz - min(run_at))))::integer as oldest_seconds
      from graphile_worker.jobs where locked_at is null and run_at <= ${now} group by task_identifier`.execute(
      db,
    );
    return rows;
  },

  /** Counts jobs that have not started and jobs that have failed at least once. */
  async listQueued(): Promise<QueuedJobs[]> {
    const { rows } = await sql<QueuedJobs>`
      select task_identifier as name, count(*) filter (where locked_at is null) as waiting,
        count(*) filter (where last_error is not null) as failing
      from graphile_worker.jobs group by task_identifier`.execute(db);
    return rows;
  },
});

export const recordRuns =
  (db: Db, clock: Clock): JobRecorder =>
  ({ name, seconds, error }) => {
    const now = clock.now();
    return jobRunStore(db).record({ name, started_at: secondsFrom(now, -seconds), finished_at: now, error });
  };

export const readQueue = (db: Db, now: Date) => jobRunStore(db).listWaiting(now);

export async function readJobStates(db: Db) {
  const [runs, queued] = await Promise.all([jobRunStore(db).list(), jobRunStore(db).listQueued()]);
  const runOf = new Map(runs.map((run) => [run.name, run]));
  const queueOf = new Map(queued.map((each) => [each.name, each]));
  return (name: string) => {
    const run = runOf.get(name);
    return {
      last_run_at: run?.started_at ?? null,
      last_finished_at: run?.finished_at ?? null,
      last_error: run?.error ?? null,
      waiting: queueOf.get(name)?.waiting ?? 0,
      failing: queueOf.get(name)?.failing ?? 0,
    };
  };
}
