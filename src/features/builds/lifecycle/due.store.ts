import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { spentAt } from '../checks/check-runs.store.js';
import { type BuildRow, buildColumns, statusAt } from '../record/builds.store.js';

/** Builds of all workspaces that the clock has ended, or whose claim it has, before anybody wrote it down. */
export function dueBuildStore(db: Db | Tx) {
  return {
    async lockDue(now: Date, passedOver: readonly string[]): Promise<BuildRow | undefined> {
      const { rows } = await sql<BuildRow>`
        select ${buildColumns(now)} from builds b
        where b.finished_at is null and b.build_id <> all(${[...passedOver]}::uuid[]) and (
          ${statusAt(now)} in ('lost', 'timed_out', 'canceled')
          or (b.started_at is null and b.claimed_at is not null and ${statusAt(now)} = 'queued')
          or ${spentAt(now)}
          or (b.cancel_requested_at is null and not exists (select from cards k where k.card_id = b.task_id)))
        order by b.queued_at limit 1 for no key update of b skip locked`.execute(db);
      return rows[0];
    },

    async countOpen(now: Date): Promise<{ status: string; builds: number; oldest: number }[]> {
      const { rows } = await sql<{ status: string; builds: number; oldest: number }>`
        select s.status, count(*)::int as builds,
          extract(epoch from ${now}::timestamptz - min(s.queued_at))::float8 as oldest
        from (select ${statusAt(now)} as status, b.queued_at from builds b where b.finished_at is null) s
        group by 1`.execute(db);
      return rows;
    },
  };
}

interface StalledBuild {
  brand_id: number;
  build_id: string;
  task_id: string;
  created_by: number | null;
  stall_minutes: number;
}

/** Builds of all workspaces that get on with nothing. */
export const stallStore = (db: Db | Tx) => ({
  /** Those of which nobody was told yet; from now on somebody was. */
  async takeStalled(now: Date, limit: number): Promise<StalledBuild[]> {
    const { rows } = await sql<StalledBuild>`
      update builds u set stall_told_at = ${now}
      from (
        select b.build_id from builds b
        where b.finished_at is null and b.stall_told_at is null and b.stall_minutes > 0 and not b.local
          and b.progress_at <= ${now}::timestamptz - make_interval(mins => b.stall_minutes) and ${statusAt(now)} = 'running'
        order by b.progress_at limit ${limit} for no key update of b skip locked
      ) stalled
      where u.build_id = stalled.build_id
      returning u.brand_id, u.build_id, u.task_id, u.created_by, u.stall_minutes`.execute(db);
    return rows;
  },

  /** A coder that calls a tool is at work. Some calls a second are written down as one. */
  async noteProgress(buildId: string, now: Date): Promise<void> {
    await sql`
      update builds b set progress_at = ${now}
      where b.build_id = ${buildId} and b.progress_at < ${now}::timestamptz - interval '5 seconds' and ${statusAt(now)} = 'running'`.execute(
      db,
    );
  },
});
