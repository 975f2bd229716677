import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/database.js';

/** A workspace's data outside the database, by name. */
export interface Things {
  images: string[];
  agents: string[];
  projects: string[];
}

/** Addresses to search for, saved because forgetting the account removes them. */
export interface PersonThings {
  addresses: string[];
}

export interface Erasure {
  erasure_id: number;
  kind: 'person' | 'workspace';
  subject_id: number;
  things: unknown;
}

/** Not bound to a workspace: only the operator and the job use it. */
export const erasureStore = (db: Db | Tx) => ({
  async insert(kind: Erasure['kind'], subjectId: number, now: Date, things?: PersonThings): Promise<void> {
    await sql`
      insert into erasures (kind, subject_id, requested_at, things)
      values (${kind}, ${subjectId}, ${now}, ${things ? JSON.stringify(things) : null}::jsonb)
      on conflict (kind, subject_id) do nothing`.execute(db);
  },

  async listOpen(after: number, limit: number): Promise<number[]> {
    const { rows } = await sql<{ erasure_id: number }>`
      select erasure_id from erasures
      where finished_at is null and erasure_id > ${after} order by erasure_id limit ${limit}`.execute(db);
    return rows.map(({ erasure_id }) => erasure_id);
  },

  /** Counts the attempt; undefined when the erasure has already finished. */
  async begin(erasureId: number): Promise<Erasure | undefined> {
    const { rows } = await sql<Erasure>`
      update erasures set attempts = attempts + 1 where erasure_id = ${erasureId} and finished_at is null
      returning erasure_id, kind, subject_id, things`.execute(db);
    return rows[0];
  },

  async saveThings(erasureId: number, things: Things): Promise<void> {
    await sql`
      update erasures set things = ${JSON.stringify(things)}::jsonb where erasure_id = ${erasureId}`.execute(
      db,
    );
  },

  async finish(erasureId: number, now: Date): Promise<void> {
    await sql`
      update erasures set finished_at = ${now}, things = null where erasure_id = ${erasureId}`.execute(db);
  },

  /** An agent that is still being built appears only in its hire. */
  async listAgents(brandId: number): Promise<string[]> {
    const { rows } = await sql<{ agent_id: string }>`
      select agent_id from agents where brand_id = ${brandId}
      union select agent_id from hires where brand_id = ${brandId} order by agent_id`.execute(db);
    return rows.map(({ agent_id }) => agent_id);
  },

  async listProjects(brandId: number): Promise<string[]> {
    const { rows } = await sql<{ project_id: string }>`
      select project_id from projects where brand_id = ${brandId} order by project_id`.execute(db);
    return rows.map(({ project_id }) => project_id);
  },
});

interface OwnAudit {
  id: string;
  at: Date;
  brand_id: number | null;
  action: string;
  subject: string;
  details: unknown;
  address: string | null;
  credential: string | null;
}

/** Attempts on an account by unknown people, whose audit rows have no actor. */
const SIGN_IN_ACTIONS = ['sign-in.failed', 'sign-in.locked', 'password.reset-requested'];

/** A person's own actions in any workspace, and attempts on their account in their own workspaces. */
export async function listAuditOf(
  db: Db,
  { userId, brandIds }: { userId: number; brandIds: number[] },
  after: string | undefined,
  limit: number,
): Promise<OwnAudit[]> {
  const later = sql`audit_id > ${after ?? '0'}::bigint order by audit_id limit ${limit}`;
  // A union, so that each half can use its own index.
  const { rows } = await sql<OwnAudit>`
    select audit_id::text as id, at, brand_id, action, subject, details, address, credential from (
      (select * from audit_log where actor_user_id = ${userId} and ${later})
      union all
      (select * from audit_log
       where brand_id = any(${brandIds}::integer[]) and action = any(${SIGN_IN_ACTIONS}::text[])
         and subject = ${`user:${userId}`} and actor_user_id is null and ${later})
    ) told
    order by audit_id limit ${limit}`.execute(db);
  return rows;
}
