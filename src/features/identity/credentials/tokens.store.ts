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

const TOKEN_COLUMNS = [
  'token_id',
  'name',
  'scopes',
  'created_at',
  'expires_at',
  'last_used_at',
  'agent_id',
] as const;

/** The tokens of one workspace. */
export function tokenStore(db: Db | Tx, brandId: number) {
  return {
    listTokens(userId: number): Promise<TokenRecord[]> {
      return db
        .selectFrom('tokens')
        .select(TOKEN_COLUMNS)
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .orderBy('created_at', 'desc')
        .orderBy('token_id')
        .execute();
    },

    /** Of all members, the newest first. */
    async listAll(limit: number): Promise<{
      tokens: (TokenRecord & { user_id: number; full_name: string })[];
      total: number;
    }> {
      const live = db
        .selectFrom('tokens as t')
        .where('t.brand_id', '=', brandId)
        .where('t.revoked_at', 'is', null);
      const tokens = await live
        .innerJoin('users as u', 'u.user_id', 't.user_id')
        .select([
          't.token_id',
          't.name',
          't.scopes',
          't.created_at',
          't.expires_at',
          't.last_used_at',
          't.agent_id',
          't.user_id',
          'u.full_name',
        ])
        .orderBy('t.created_at', 'desc')
        .orderBy('t.token_id')
        .limit(limit)
        .execute();
      const { total } = await live
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { tokens, total };
    },

    insertToken(token: {
      token_id: string;
      token_hash: string;
      user_id: number;
      name: string;
      scopes: string[];
      created_at: Date;
      expires_at: Date | null;
      agent_id: string | null;
    }): Promise<TokenRecord> {
      return db
        .insertInto('tokens')
        .values({ ...token, brand_id: brandId })
        .returning(TOKEN_COLUMNS)
        .executeTakeFirstOrThrow();
    },

    async revokeToken(tokenId: string, userId: number, now: Date): Promise<boolean> {
      const row = await db
        .updateTable('tokens')
        .set({ revoked_at: now })
        .where('brand_id', '=', brandId)
        .where('token_id', '=', tokenId)
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .returning('token_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** An agent of the workspace that is at work, held until the transaction ends: no token outlives its agent. */
    async holdAgent(agentId: string): Promise<boolean> {
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
      await db
        .updateTable('tokens')
        .set({ revoked_at: now })
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .execute();
    },
  };
}

/** Whatever workspace it is of: for the operator, who knows only the token. */
export const revokeAnyToken = (
  tx: Tx,
  tokenId: string,
  now: Date,
): Promise<{ brand_id: number } | undefined> =>
  tx
    .updateTable('tokens')
    .set({ revoked_at: now })
    .where('token_id', '=', tokenId)
    .where('revoked_at', 'is', null)
    .returning('brand_id')
    .executeTakeFirst();
