import { sql } from 'kysely';
import type { ActingAgent } from '../../kernel/access.js';
import { credentialOf, currentRequest } from '../../kernel/request-context.js';
import type { Db } from '../database/database.js';

export interface AuditActor {
  kind: string;
  /** Absent when nobody is known to have done it; a name that was only typed is never kept. */
  userId?: number;
  tokenId?: string;
  agent?: ActingAgent | null;
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
  /** From where; the client of the request that is being served, unless another is named. */
  address?: string | null;
  /** With what (`session:<id>`); the credential of the request that is being served, unless another is named. */
  credential?: string | null;
}

/** Belongs into the transaction of the write it tells of, so that neither exists without the other. */
export const recordAudit = (db: Db, { brandId, ...entry }: AuditEntry): Promise<void> =>
  recordAuditIn(db, [brandId], entry);

/** The same entry in several workspaces, for what concerns a person wherever they belong. */
export async function recordAuditIn(
  db: Db,
  brandIds: (number | null)[],
  entry: Omit<AuditEntry, 'brandId'>,
): Promise<void> {
  const request = currentRequest();
  const { actor, action, subject, details = {}, at } = entry;
  const { requestId = request?.requestId ?? null, address = request?.clientAddress ?? null } = entry;
  const { credential = request ? credentialOf(request.caller) : null } = entry;
  await sql`
    insert into audit_log
      (at, brand_id, actor_kind, actor_user_id, actor_token_id, actor_agent_id, action, subject, details, request_id, address, credential)
    select
      ${at}, b.brand_id, ${actor.kind}, ${actor.userId ?? null}, ${actor.tokenId ?? null},
      ${actor.agent?.agentId ?? null}, ${action}, ${subject}, ${JSON.stringify(details)}::jsonb, ${requestId}, ${address}, ${credential}
    from unnest(${brandIds}::integer[]) as b (brand_id)
  `.execute(db);
}

/** What entries tell of a person beside their number: the addresses they had, and what they called their tokens. Who did what stays. */
export async function forgetAuditedPerson(db: Db, userId: number): Promise<void> {
  await sql`
    update audit_log set details = case when action = 'token.created' then details - 'name' else '{}'::jsonb end
    where actor_user_id = ${userId} and action in ('mail-address.renamed', 'token.created')`.execute(db);
}
