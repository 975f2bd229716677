import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { ProjectChecks } from './checks.schemas.js';

/** What projects of one workspace say of their checkouts. */
export function checkStore(db: Db | Tx, brandId: number) {
  return {
    async find(projectId: string): Promise<ProjectChecks | undefined> {
      const { rows } = await sql<ProjectChecks>`
        select checks, setup, required from project_checks
        where brand_id = ${brandId} and project_id = ${projectId}`.execute(db);
      return rows[0];
    },

    async save(projectId: string, { checks, setup, required }: ProjectChecks, now: Date): Promise<void> {
      await sql`
        insert into project_checks (project_id, brand_id, checks, setup, required, updated_at)
        values (${projectId}, ${brandId}, ${JSON.stringify(checks)}::jsonb, ${setup && JSON.stringify(setup)}::jsonb,
          ${required}, ${now})
        on conflict (project_id) do update set checks = excluded.checks, setup = excluded.setup,
          required = excluded.required, updated_at = excluded.updated_at`.execute(db);
    },
  };
}
