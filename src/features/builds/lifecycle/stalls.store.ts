import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { statusAt } from '../record/builds.store.js';

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
