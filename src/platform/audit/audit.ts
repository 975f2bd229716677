import { sql } from 'kysely';
import type { ActingAgent } from '../../kernel/access.js';
import { credentialOf, currentRequest } from '../../kernel/access.js';
import type { Db } from '../database/database.js';

export interface AuditActor {
  kind: string;
  /** Absent when no person is known. A name that someone entered is never stored. */
  userId?: number;
  tokenId?: string;
  agent?: ActingAgent | null;
}

export interface AuditEntry {
  brandId: number | null;
  actor: AuditActor;
  action: string;
  subject: string;
  details?: Record<string, unknown>;
  at: Date;
  /** Defaults to the current request. */
  requestId?: string;
  /** Client address. Defaults to that of the current request. */
  address?: string | null;
  /** Such as `session:<id>`. Defaults to the credential of the current request. */
  credential?: string | null;
}

/** Call this in the transaction of the change, so that neither exists without the other. */
export const recordAudit = (db: Db, { brandId, ...entry }: AuditEntry): Promise<void> =>
  recordAuditIn(db, [brandId], entry);

/** Writes the same entry to several workspaces, for actions that concern a person in all of them. */
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

/** Removes the addresses and token names of a person from audit entries. Actor and action remain. */
export async function forgetAuditedPerson(db: Db, userId: number): Promise<void> {
  await sql`
    update audit_log set details = case when action = 'token.created' then details - 'name' else '{}'::jsonb end
    where actor_user_id = ${userId} and action in ('mail-address.renamed', 'token.created')`.execute(db);
}
