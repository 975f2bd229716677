import { type Kysely, sql } from 'kysely';
import { currentRequestId } from '../kernel/request-context.js';

export interface AuditActor {
  kind: string;
  userId?: number;
  tokenId?: string;
}

export interface AuditEntry {
  /** null for what concerns no workspace. */
  brandId: number | null;
  actor: AuditActor;
  /** `feature.changed` */
  action: string;
  /** `feature:crm` */
  subject: string;
  details?: Record<string, unknown>;
  at: Date;
  /** The request that is being served, unless another one is named. */
  requestId?: string;
}

/** Belongs into the transaction of the write it tells of, so that neither exists without the other. */
export async function recordAudit<Tables>(db: Kysely<Tables>, entry: AuditEntry): Promise<void> {
  const { brandId, actor, action, subject, details = {}, at, requestId = currentRequestId() ?? null } = entry;
  await sql`
    insert into audit_log
      (at, brand_id, actor_kind, actor_user_id, actor_token_id, action, subject, details, request_id)
    values
      (${at}, ${brandId}, ${actor.kind}, ${actor.userId ?? null}, ${actor.tokenId ?? null},
       ${action}, ${subject}, ${JSON.stringify(details)}::jsonb, ${requestId})
  `.execute(db);
}
