import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { HostFeedback } from '../record/build-deps.js';

export function hostFeedbackStore(db: Db | Tx, brandId: number) {
  return {
    async keep(buildId: string, hostFeedback: HostFeedback): Promise<void> {
      await sql`
        update builds set came_back = ${JSON.stringify(hostFeedback)}::jsonb, rework_of = ${hostFeedback.because}::text[]
        where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async find(buildId: string): Promise<HostFeedback | undefined> {
      const { rows } = await sql<{ came_back: HostFeedback | null }>`
        select came_back from builds where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
      return rows[0]?.came_back ?? undefined;
    },

    async listOfCard(taskId: string): Promise<HostFeedback[]> {
      const { rows } = await sql<{ came_back: HostFeedback }>`
        select came_back from builds where brand_id = ${brandId} and task_id = ${taskId} and came_back is not null
        order by attempt`.execute(db);
      return rows.map(({ came_back }) => came_back);
    },
  };
}
