import { type Clock, secondsFrom } from '../../kernel/clock.js';
import type { Db } from '../database/database.js';
import type { PassRecorder } from './job-passes.js';
import { jobRunStore } from './job-runs.store.js';

/** Keeps the last run of each pass where every node can read it. */
export const recordRuns =
  (db: Db, clock: Clock): PassRecorder =>
  ({ name, seconds, error }) => {
    const now = clock.now();
    return jobRunStore(db).record({ name, started_at: secondsFrom(now, -seconds), finished_at: now, error });
  };

export const readQueue = (db: Db, now: Date) => jobRunStore(db).listWaiting(now);

/** What is known of passes: their last run, and what waits in the queue. */
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
