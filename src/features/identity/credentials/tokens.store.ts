import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface TokenRecord {
  token_id: string;
  name: string;
  scopes: string[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  agent_id: string | null;
}

interface NewToken extends Omit<TokenRecord, 'last_used_at'> {
  token_hash: string;
  user_id: number;
}

const COLUMNS = sql.raw(
  't.token_id, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, t.agent_id',
);

export function tokenStore(db: Db | Tx, brandId: number) {
  return {
    async listTokens(userId: number): Promise<TokenRecord[]> {
      const { rows } = await sql<TokenRecord>`
        select ${COLUMNS} from tokens t
        where t.brand_id = ${brandId} and t.user_id = ${userId} and t.revoked_at is null
        order by t.created_at desc, t.token_id`.execute(db);
      return rows;
    },

    async listAll(limit: number) {
      const { rows } = await sql<TokenRecord & { user_id: number; full_name: string; total: number }>`
        select ${COLUMNS}, t.user_id, u.full_name, count(*) over () as total
        from tokens t join users u on u.user_id = t.user_id
        where t.brand_id = ${brandId} and t.revoked_at is null
        order by t.created_at desc, t.token_id limit ${limit}`.execute(db);
      return { tokens: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 };
    },

    insertToken: (token: NewToken): Promise<TokenRecord> =>
      db
        .insertInto('tokens')
        .values({ ...token, brand_id: brandId })
        .returning(['token_id', 'name', 'scopes', 'created_at', 'expires_at', 'last_used_at', 'agent_id'])
        .executeTakeFirstOrThrow(),

    async revokeToken(tokenId: string, userId: number, now: Date): Promise<boolean> {
      const { rows } = await sql`
        update tokens set revoked_at = ${now}
        where brand_id = ${brandId} and token_id = ${tokenId} and user_id = ${userId} and revoked_at is null
        returning 1`.execute(db);
      return rows.length === 1;
    },

    /** Keeps tokens from outliving their agent; false if the agent does not exist. */
    async lockAgent(agentId: string): Promise<boolean> {
      const { rows } = await sql`
        select from agents where agent_id = ${agentId} and brand_id = ${brandId} and directory_removed_at is null
        for share`.execute(db);
      return rows.length > 0;
    },

    async revokeTokensOfAgent(agentId: string, now: Date): Promise<string[]> {
      const { rows } = await sql<{ token_id: string }>`
        update tokens set revoked_at = ${now}
        where brand_id = ${brandId} and agent_id = ${agentId} and revoked_at is null
        returning token_id`.execute(db);
      return rows.map(({ token_id }) => token_id);
    },

    async revokeTokensOf(userId: number, now: Date): Promise<void> {
      await sql`
        update tokens set revoked_at = ${now}
        where brand_id = ${brandId} and user_id = ${userId} and revoked_at is null`.execute(db);
    },
  };
}

/** For the operator, who knows only the token. Returns its workspace. */
export async function revokeAnyToken(tx: Tx, tokenId: string, now: Date): Promise<number | undefined> {
  const { rows } = await sql<{ brand_id: number }>`
    update tokens set revoked_at = ${now}
    where token_id = ${tokenId} and revoked_at is null returning brand_id`.execute(tx);
  return rows[0]?.brand_id;
}
