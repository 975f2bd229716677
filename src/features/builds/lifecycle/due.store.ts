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
