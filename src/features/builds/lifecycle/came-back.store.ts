import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { CameBack } from '../record/build-deps.js';

export function cameBackStore(db: Db | Tx, brandId: number) {
  return {
    async keep(buildId: string, cameBack: CameBack): Promise<void> {
      await sql`
        update builds set came_back = ${JSON.stringify(cameBack)}::jsonb, rework_of = ${cameBack.because}::text[]
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async find(buildId: string): Promise<CameBack | undefined> {
      const { rows } = await sql<{ came_back: CameBack | null }>`
        select came_back from builds where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
      return rows[0]?.came_back ?? undefined;
    },

    async listOfCard(taskId: string): Promise<CameBack[]> {
      const { rows } = await sql<{ came_back: CameBack }>`
        select came_back from builds where brand_id = ${brandId} and task_id = ${taskId} and came_back is not null
        order by attempt`.execute(db);
      return rows.map(({ came_back }) => came_back);
    },
  };
}
