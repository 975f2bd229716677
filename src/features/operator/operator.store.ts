import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/database.js';

interface KeptClock {
  offset_ms: number;
  frozen_at: Date | null;
}

/** The operator is not bound to a workspace, so each query names the workspace. */
export function operatorStore(db: Db | Tx) {
  return {
    listAudit: (page: {
      before: number | undefined;
      brandId: number | undefined;
      action: string | undefined;
      limit: number;
    }) =>
      db
        .selectFrom('audit_log')
        .selectAll()
        .$if(page.before !== undefined, (query) => query.where('audit_id', '<', page.before!))
        .$if(page.brandId !== undefined, (query) => query.where('brand_id', '=', page.brandId!))
        .$if(page.action !== undefined, (query) => query.where('action', '=', page.action!))
        .orderBy('audit_id', 'desc')
        .limit(page.limit)
        .execute(),

    /** Locks the stored clock until the transaction ends. */
    async lockClock(): Promise<KeptClock> {
      await db
        .insertInto('test_clock')
        .values({ offset_ms: 0, frozen_at: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return db
        .selectFrom('test_clock')
        .select(['offset_ms', 'frozen_at'])
        .forUpdate()
        .executeTakeFirstOrThrow();
    },

    saveClock: (clock: KeptClock) => db.updateTable('test_clock').set(clock).execute(),

    findClock: () => db.selectFrom('test_clock').select(['offset_ms', 'frozen_at']).executeTakeFirst(),
  };
}

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
