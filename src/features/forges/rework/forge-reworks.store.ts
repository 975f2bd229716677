import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

/** Heads of one workspace that started another attempt. */
export function forgeReworkStore(db: Db | Tx, brandId: number) {
  return {
    async isKnown(projectId: string, headSha: string): Promise<boolean> {
      const { rows } = await sql`
        select from forge_reworks
        where brand_id = ${brandId} and project_id = ${projectId} and head_sha = ${headSha}`.execute(db);
      return rows.length > 0;
    },

    /** True for one caller only; concurrent callers wait for its transaction. */
    async claim(head: { projectId: string; sha: string; because: string; at: Date }): Promise<boolean> {
      const { rows } = await sql`
        insert into forge_reworks (project_id, head_sha, brand_id, because, at)
        values (${head.projectId}, ${head.sha}, ${brandId}, ${head.because}, ${head.at})
        on conflict do nothing returning head_sha`.execute(db);
      return rows.length > 0;
    },

    async noteBuild(projectId: string, headSha: string, buildId: string): Promise<void> {
      await sql`
        update forge_reworks set build_id = ${buildId}
        where brand_id = ${brandId} and project_id = ${projectId} and head_sha = ${headSha}`.execute(db);
    },

    /** No attempt was started, so a later sync may try again. */
    async release(projectId: string, headSha: string): Promise<void> {
      await sql`
        delete from forge_reworks
        where brand_id = ${brandId} and project_id = ${projectId} and head_sha = ${headSha}`.execute(db);
    },
  };
}
