import type { Scope, SessionCaller } from '../../../kernel/access.js';
import { newId } from '../../../kernel/ids.js';
import { newToken, sha256Hex } from '../../../kernel/secrets.js';
import { type AuditActor, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { TOKEN_PREFIX } from '../../../platform/http/request/authentication.js';
import type { UseRecorder } from '../credentials/credential-cache.js';
import type { IdentityContext } from '../credentials/identity-changes.js';
import { revokeAnyToken, tokenStore } from '../credentials/tokens.store.js';
import {
  agentUnknown,
  expiryInThePast,
  memberNotFound,
  scopeOutsideCeiling,
  tokenNotFound,
} from '../identity.errors.js';
import { membershipStore } from '../people/members.store.js';

const MOST_LISTED = 500;

interface TokenOptions extends IdentityContext {
  tokenUses: UseRecorder<Date>;
}

export interface TokenInput {
  name: string;
  scopes: string[];
  expiresAt: Date | null;
  /** The agent that acts with the token; null or absent: the person. */
  agentId?: string | null;
}

export function createTokenService(options: TokenOptions) {
  const { db, clock, tokenUses, changeIdentities, requireStillSignedIn } = options;

  /** The token's text exists only in the response. */
  async function issue(
    tx: Tx,
    brand: { brand_id: number; scope_ceiling: readonly string[] },
    userId: number | undefined,
    input: TokenInput,
    actor: AuditActor,
  ) {
    const outside = input.scopes.find((scope) => !brand.scope_ceiling.includes(scope));
    if (outside) throw scopeOutsideCeiling(outside, brand.brand_id);
    if (userId === undefined || !(await membershipStore(tx, brand.brand_id).lockMembership(userId)))
      throw memberNotFound();
    const { name, agentId = null } = input;
    const store = tokenStore(tx, brand.brand_id);
    if (agentId !== null && !(await store.lockAgent(agentId))) throw agentUnknown();
    const token = newToken(TOKEN_PREFIX);
    const at = clock.now();
    const record = await store.insertToken({
      token_id: newId(),
      token_hash: sha256Hex(token),
      user_id: userId,
      name,
      scopes: [...new Set(input.scopes)],
      created_at: at,
      expires_at: input.expiresAt,
      agent_id: agentId,
    });
    await recordAudit(tx, {
      brandId: brand.brand_id,
      actor,
      action: 'token.created',
      subject: `token:${record.token_id}`,
      details: {
        name,
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

    /** For the operator; false if the token does not exist or is already revoked. */
    revoke: (actor: AuditActor, tokenId: string): Promise<boolean> =>
      changeIdentities(async (tx) => {
        const brandId = await revokeAnyToken(tx, tokenId, clock.now());
        if (brandId !== undefined) await recordRevoked(tx, brandId, actor, tokenId);
        return brandId !== undefined;
      }),

    async listOfWorkspace(brandId: number) {
      await tokenUses.write();
      return tokenStore(db, brandId).listAll(MOST_LISTED);
    },

    async listOwn(caller: SessionCaller) {
      await tokenUses.write();
      return tokenStore(db, caller.brandId).listTokens(caller.userId);
    },

    async createOwn(caller: SessionCaller, input: TokenInput & { scopes: Scope[] }) {
      if (input.expiresAt && input.expiresAt <= clock.now()) throw expiryInThePast();
      const brand = { brand_id: caller.brandId, scope_ceiling: caller.scopeCeiling };
      return inTransaction(db, async (tx) => {
        await requireStillSignedIn(tx, caller);
        return issue(tx, brand, caller.userId, input, caller);
      });
    },

    /** Call it in the transaction that removes the agent. */
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
