import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export function briefStore(db: Db | Tx, brandId: number) {
  return {
    async find(buildId: string): Promise<string | undefined> {
      const { rows } = await sql<{ body: string }>`
        select f.body from build_briefs f join builds b using (build_id)
        where b.brand_id = ${brandId} and f.build_id = ${buildId}`.execute(db);
      return rows[0]?.body;
    },
  };
}
