import { sql } from 'kysely';
import type { ActorNames } from '../../kernel/actors.js';
import type { Db } from '../../platform/database/database.js';
import { actorNames, firstOf } from '../../platform/database/schema/sql-fragments.js';
import { LARGEST_PAGE } from './workspaces.schemas.js';

export interface AuditRow {
  audit_id: number;
  at: Date;
  action: string;
  subject: string;
  address: string | null;
  credential: string | null;
  actor: ActorNames | null;
}

export interface AuditFilter {
  actor: number | undefined;
  action: string | undefined;
  before: number | undefined;
  limit: number;
}

export const workspaceAuditStore = (db: Db, brandId: number) => ({
  /** Each combination of filters is a separate statement, so that each uses its own index. */
  async list({ actor, action, before, limit }: AuditFilter): Promise<AuditRow[]> {
    const byActor = actor === undefined ? sql`` : sql`and a.actor_user_id = ${actor}`;
    const byAction = action === undefined ? sql`` : sql`and a.action = ${action}`;
    const older = before === undefined ? sql`` : sql`and a.audit_id < ${before}`;
    const matched = sql`
      select * from audit_log a where a.brand_id = ${brandId} ${byActor} ${byAction} ${older} order by a.audit_id desc`;
    const { rows } = await sql<AuditRow>`
      select a.audit_id, a.at, a.action, a.subject, a.address, a.credential,
        ${actorNames(sql`a.actor_user_id`, sql`a.actor_agent_id`)} as actor
      from (${firstOf(matched, limit, LARGEST_PAGE + 1)}) a order by a.audit_id desc`.execute(db);
    return rows;
  },
});
