import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { isAtWork } from '../record/builds.store.js';

export interface CoderToken {
  token_hash: string;
  sealed: string;
  agent_id: string | null;
}

export interface TokenHolder {
  build_id: string;
  brand_id: number;
  task_id: string;
  project_id: string;
  agent_id: string | null;
  /** Null when the agent was deleted. */
  agent_name: string | null;
  created_by: number | null;
  guest_words: boolean;
}

export function coderTokenStore(db: Db | Tx, brandId: number) {
  return {
    async find(buildId: string): Promise<CoderToken | undefined> {
      const { rows } = await sql<CoderToken>`
        select t.token_hash, t.sealed, t.agent_id from build_tokens t join builds b using (build_id)
        where b.brand_id = ${brandId} and t.build_id = ${buildId}`.execute(db);
      return rows[0];
    },

    async insert(buildId: string, token: CoderToken, now: Date): Promise<void> {
      await sql`
        insert into build_tokens (build_id, token_hash, sealed, agent_id, created_at)
        values (${buildId}, ${token.token_hash}, ${token.sealed}, ${token.agent_id}, ${now})`.execute(db);
    },

    async remove(buildId: string): Promise<void> {
      await sql`
        delete from build_tokens t using builds b
        where t.build_id = ${buildId} and b.build_id = t.build_id and b.brand_id = ${brandId}`.execute(db);
    },

    async confirm(buildId: string): Promise<void> {
      await sql`
        update builds set confirmed = true where brand_id = ${brandId} and build_id = ${buildId}`.execute(db);
    },

    async markGuestWords(buildId: string): Promise<void> {
      await sql`
        update builds set guest_words = true where brand_id = ${brandId} and build_id = ${buildId}`.execute(
        db,
      );
    },

    /** Does not revive a lost build. */
    async hear(buildId: string, now: Date): Promise<void> {
      await sql`
        update builds b set heard_at = ${now}
        where b.brand_id = ${brandId} and b.build_id = ${buildId} and ${isAtWork(now)}
          and b.heard_at < ${now}`.execute(db);
    },
  };
}

/** The token identifies the workspace. It ends with its build, even before the end is stored. */
export async function findTokenHolder(
  db: Db,
  tokenHash: string,
  now: Date,
): Promise<TokenHolder | undefined> {
  const { rows } = await sql<TokenHolder>`
    select b.build_id, b.brand_id, b.task_id, b.project_id, t.agent_id,
      (select a.name from agents a where a.agent_id = t.agent_id) as agent_name, b.created_by, b.guest_words
    from build_tokens t join builds b using (build_id)
    where t.token_hash = ${tokenHash} and ${isAtWork(now)}`.execute(db);
  return rows[0];
}
