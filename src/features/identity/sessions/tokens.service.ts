import type { Scope, SessionCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { newToken, sha256Hex } from '../../../kernel/secrets.js';
import { type AuditActor, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import type { StillAllowed } from '../credentials/still-allowed.js';
import { revokeAnyToken, tokenStore } from '../credentials/tokens.store.js';
import type { Uses } from '../credentials/uses.js';
import {
  agentUnknown,
  expiryInThePast,
  memberNotFound,
  scopeOutsideCeiling,
  tokenNotFound,
} from '../identity.errors.js';
import { membershipStore } from '../members/members.store.js';

const MOST_LISTED = 500;

interface TokenOptions {
  db: Db;
  clock: Clock;
  tokenUses: Uses<Date>;
  changeIdentities: ChangeIdentities;
  requireStillSignedIn: StillAllowed['requireStillSignedIn'];
}

export interface TokenWish {
  name: string;
  scopes: string[];
  expiresAt: Date | null;
  /** The agent that acts with it; null or left out: the person. */
  agentId?: string | null;
}

export function createTokenService(options: TokenOptions) {
  const { db, clock, tokenUses, changeIdentities, requireStillSignedIn } = options;

  /** Makes a token; its text is in the answer and nowhere else. */
  async function issue(
    tx: Tx,
    brand: { brand_id: number; scope_ceiling: readonly string[] },
    userId: number | undefined,
    wish: TokenWish,
    actor: AuditActor,
  ) {
    const outside = wish.scopes.find((scope) => !brand.scope_ceiling.includes(scope));
    if (outside) throw scopeOutsideCeiling(outside, brand.brand_id);
    if (userId === undefined || !(await membershipStore(tx, brand.brand_id).holdRole(userId)))
      throw memberNotFound();
    const { agentId = null } = wish;
    const store = tokenStore(tx, brand.brand_id);
    if (agentId !== null && !(await store.holdAgent(agentId))) throw agentUnknown();
    const token = newToken(TOKEN_PREFIX);
    const at = clock.now();
    const record = await store.insertToken({
      token_id: newId(),
      token_hash: sha256Hex(token),
      user_id: userId,
      name: wish.name,
      scopes: [...new Set(wish.scopes)],
      created_at: at,
      expires_at: wish.expiresAt,
      agent_id: agentId,
    });
    await recordAudit(tx, {
      brandId: brand.brand_id,
      actor,
      action: 'token.created',
      subject: `token:${record.token_id}`,
      details: {
        name: wish.name,
        scopes: record.scopes,
        user_id: userId,
        ...(agentId !== null && { agent_id: agentId }),
      },
      at,
    });
    return { ...record, token };
  }

  const recordRevoked = (tx: Tx, brandId: number, actor: AuditActor, tokenId: string) =>
    recordAudit(tx, {
      brandId,
      actor,
      action: 'token.revoked',
      subject: `token:${tokenId}`,
      at: clock.now(),
    });

  return {
    issue,

    /** For the operator, who names a token of whatever workspace; false when it is not there or revoked already. */
    revoke: (actor: AuditActor, tokenId: string): Promise<boolean> =>
      changeIdentities(async (tx) => {
        const revoked = await revokeAnyToken(tx, tokenId, clock.now());
        if (revoked) await recordRevoked(tx, revoked.brand_id, actor, tokenId);
        return revoked !== undefined;
      }),

    /** For the operator: whose they are, and when they were last used. */
    async listOfWorkspace(brandId: number) {
      await tokenUses.write();
      return tokenStore(db, brandId).listAll(MOST_LISTED);
    },

    async listOwn(caller: SessionCaller) {
      await tokenUses.write();
      return tokenStore(db, caller.brandId).listTokens(caller.userId);
    },

    async createOwn(caller: SessionCaller, wish: TokenWish & { scopes: Scope[] }) {
      if (wish.expiresAt && wish.expiresAt <= clock.now()) throw expiryInThePast();
      const brand = { brand_id: caller.brandId, scope_ceiling: caller.scopeCeiling };
      return inTransaction(db, async (tx) => {
        await requireStillSignedIn(tx, caller);
        return issue(tx, brand, caller.userId, wish, caller);
      });
    },

    /** In the transaction in which an agent goes: its tokens go with it. */
    revokeOfAgent: (tx: Tx, brandId: number, agentId: string, actor: AuditActor): Promise<void> =>
      changeIdentities(async (inside) => {
        for (const tokenId of await tokenStore(inside, brandId).revokeTokensOfAgent(agentId, clock.now()))
          await recordRevoked(inside, brandId, actor, tokenId);
      }, tx),

    async revokeOwn(caller: SessionCaller, tokenId: string): Promise<void> {
      await changeIdentities(async (tx) => {
        const { brandId, userId } = caller;
        if (!(await tokenStore(tx, brandId).revokeToken(tokenId, userId, clock.now()))) throw tokenNotFound();
        await recordRevoked(tx, brandId, caller, tokenId);
      });
    },
  };
}
