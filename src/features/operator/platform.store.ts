import { sql } from 'kysely';
import type { Db } from '../../platform/database/database.js';

export interface PlatformCounts {
  workspaces: number;
  people: number;
  open_builds: number;
  desks_ready: number;
  desks_unreachable: number;
  desks_total: number;
  queue_waiting: number;
  oldest_seconds: number;
  size_bytes: number;
  connections: number;
}

/** How much there is of everything, in one look. */
export async function readPlatformCounts(db: Db, now: Date): Promise<PlatformCounts> {
  const { rows } = await sql<PlatformCounts>`
    select
      (select count(*) from brands where erasing_at is null) as workspaces,
      (select count(*) from users where erased_at is null and kind <> 'service') as people,
      (select count(*) from builds where finished_at is null) as open_builds,
      desks.*, queue.*,
      pg_database_size(current_database()) as size_bytes,
      (select count(*) from pg_stat_activity where datname = current_database()) as connections
    from (
      select count(*) filter (where status = 'active') as desks_ready,
        count(*) filter (where status = 'unreachable') as desks_unreachable, count(*) as desks_total
      from desks) desks,
    (
      select count(*) as queue_waiting,
        greatest(0, coalesce(floor(date_part('epoch', ${now}::timestamptz - min(run_at))), 0))::integer as oldest_seconds
      from graphile_worker.jobs where locked_at is null and run_at <= ${now}) queue`.execute(db);
  return rows[0]!;
}
