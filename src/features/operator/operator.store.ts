import type { Db, Tx } from '../../platform/database/database.js';

interface KeptClock {
  offset_ms: number;
  frozen_at: Date | null;
}

/** The operator stands above the workspaces, so these queries name the workspace they mean. */
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

    /** The kept clock; whoever else wants to move it waits until this transaction ends. */
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
