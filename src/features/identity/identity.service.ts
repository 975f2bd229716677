import type { Db, Tx } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import { inTransaction } from '../../database/transaction.js';
import { TOKEN_PREFIX } from '../../http/authentication.js';
import type { MemberCaller, Scope, SessionCaller, TokenCaller } from '../../kernel/access.js';
import { type Clock, DAY, HOUR, MINUTE, secondsFrom } from '../../kernel/clock.js';
import { ApiError } from '../../kernel/errors.js';
import { newId } from '../../kernel/ids.js';
import type { Log } from '../../kernel/log.js';
import { newToken, randomSecret, sha256Hex } from '../../kernel/secrets.js';
import { recordAudit } from '../../services/audit.js';
import type { RateLimits } from '../../services/rate-limits.js';
import { identityAuthenticators } from './identity.authenticators.js';
import {
  expiryInThePast,
  fieldRequired,
  invitationForAnother,
  invitationNoLongerValid,
  linkNoLongerValid,
  scopeOutsideCeiling,
  signInRefused,
  signInToAccept,
  TOO_MANY_ATTEMPTS,
  tokenNotFound,
} from './identity.errors.js';
import {
  type Account,
  accountStore,
  credentialStore,
  type InvitationRow,
  invitationStore,
  tokenStore,
  type Workplace,
} from './identity.store.js';
import { IdentityCache } from './identity-cache.js';
import { hashPassword, isPassword } from './passwords.js';
import { TokenUses } from './token-uses.js';

const SESSION_LIFETIME = 14 * DAY;
const RESET_LIFETIME = HOUR;
const NEWS_CHANNEL = 'guildhall_identity';

export interface IdentityOptions {
  db: Db;
  clock: Clock;
  log: Log;
  notifications: Notifications;
  rateLimits: RateLimits;
  adminKey: string;
}

export type IdentityService = ReturnType<typeof createIdentityService>;

export function createIdentityService({
  db,
  clock,
  log,
  notifications,
  rateLimits,
  adminKey,
}: IdentityOptions) {
  const canHearNews = () => notifications.healthy;
  const tokens = new IdentityCache<TokenCaller>(canHearNews);
  const sessions = new IdentityCache<SessionCaller>(canHearNews);
  const uses = new TokenUses(db, log);
  const forgetAll = () => {
    tokens.clear();
    sessions.clear();
  };
  notifications.subscribe(NEWS_CHANNEL, forgetAll);
  notifications.onGap(forgetAll);

  const failuresByAccount = rateLimits.limiter('sign-in-account', {
    points: 10,
    durationSeconds: 15 * MINUTE,
    detail: TOO_MANY_ATTEMPTS,
  });
  const failuresByAddress = rateLimits.limiter('sign-in-address', {
    points: 100,
    durationSeconds: 15 * MINUTE,
    detail: TOO_MANY_ATTEMPTS,
  });

  /** Counts the attempt as a failure until it has succeeded, so that many at once cannot outrun the limit. */
  async function countingFailures<T>(
    address: string,
    account: string | undefined,
    attempt: () => Promise<T>,
  ): Promise<T> {
    await failuresByAddress.take(address);
    if (account !== undefined) {
      await failuresByAccount.take(account).catch(async (error) => {
        await failuresByAddress.giveBack(address);
        throw error;
      });
    }
    const forget = async () => {
      await failuresByAddress.giveBack(address);
      if (account !== undefined) await failuresByAccount.giveBack(account);
    };
    try {
      const result = await attempt();
      await forget();
      return result;
    } catch (error) {
      // Only a refusal is the caller's failure; a fault of ours is not held against them.
      if (!(error instanceof ApiError)) await forget();
      throw error;
    }
  }

  /** A write after which somebody may do more or less than before: every node forgets what it knew when it commits. */
  async function changeIdentities<T>(work: (tx: Tx) => Promise<T>, inside: Db | Tx = db): Promise<T> {
    const result = await inTransaction(inside, async (tx) => {
      const value = await work(tx);
      await notifications.publish(tx, NEWS_CHANNEL, {});
      return value;
    });
    forgetAll();
    if (!inside.isTransaction) await notifications.flush();
    return result;
  }

  async function openSession(account: Account, workplace: Workplace): Promise<string> {
    const secret = randomSecret();
    const now = clock.now();
    await inTransaction(db, async (tx) => {
      await credentialStore(tx).insertSession({
        session_id: newId(),
        secret_hash: sha256Hex(secret),
        user_id: account.user_id,
        brand_id: workplace.brand_id,
        created_at: now,
        expires_at: secondsFrom(now, SESSION_LIFETIME),
      });
      await recordAudit(tx, {
        brandId: workplace.brand_id,
        actor: { kind: 'session', userId: account.user_id },
        action: 'session.opened',
        subject: `user:${account.user_id}`,
        at: now,
      });
    });
    return secret;
  }

  return {
    authenticators: identityAuthenticators({ db, clock, tokens, sessions, uses, adminKey }),
    changeIdentities,
    sessionLifetimeSeconds: SESSION_LIFETIME,
    start: () => uses.start(),
    stop: () => uses.stop(),

    async signIn(attempt: { email: string; password: string; brandId: number | undefined; address: string }) {
      return countingFailures(attempt.address, attempt.email.toLowerCase(), async () => {
        const accounts = accountStore(db);
        const account = await accounts.findAccount(attempt.email);
        const known = await isPassword(attempt.password, account?.password_hash);
        const workplace =
          account && known ? await accounts.findWorkplace(account.user_id, attempt.brandId) : undefined;
        if (!account || !workplace) throw signInRefused();
        return { account, workplace, secret: await openSession(account, workplace) };
      });
    },

    async signOut(caller: SessionCaller): Promise<void> {
      await changeIdentities((tx) => credentialStore(tx).deleteSession(caller.sessionId));
    },

    /** Sets a password inside the caller's transaction; the person's sessions end with it. Tokens stay. */
    setPassword: (tx: Tx, userId: number, passwordHash: string): Promise<void> =>
      changeIdentities((inner) => accountStore(inner).changePassword(userId, passwordHash, clock.now()), tx),

    hashPassword,

    /** The secret part of a reset link; only its digest is kept. */
    async createPasswordReset(tx: Db | Tx, userId: number): Promise<string> {
      // Short enough for one line of a plain letter.
      const token = randomSecret(16);
      const now = clock.now();
      await accountStore(tx).insertReset({
        token_hash: sha256Hex(token),
        user_id: userId,
        created_at: now,
        expires_at: secondsFrom(now, RESET_LIFETIME),
      });
      return token;
    },

    async resetPassword(token: string, password: string, address: string): Promise<void> {
      await countingFailures(address, undefined, async () => {
        const passwordHash = await hashPassword(password);
        await changeIdentities(async (tx) => {
          const now = clock.now();
          const userId = await accountStore(tx).consumeReset(sha256Hex(token), now);
          if (userId === undefined) throw linkNoLongerValid();
          await accountStore(tx).changePassword(userId, passwordHash, now);
          await recordAudit(tx, {
            brandId: null,
            actor: { kind: 'reset-link', userId },
            action: 'password.reset',
            subject: `user:${userId}`,
            at: now,
          });
        });
      });
    },

    async listOwnTokens(caller: SessionCaller) {
      await uses.write();
      return tokenStore(db, caller.brandId).listTokens(caller.userId);
    },

    async createOwnToken(
      caller: SessionCaller,
      wish: { name: string; scopes: Scope[]; expiresAt: Date | null },
    ) {
      if (wish.expiresAt && wish.expiresAt <= clock.now()) throw expiryInThePast();
      requireCeiling(wish.scopes, caller.scopeCeiling);
      return inTransaction(db, (tx) =>
        issueToken(tx, clock.now(), { ...wish, brandId: caller.brandId, userId: caller.userId }, caller),
      );
    },

    async revokeOwnToken(caller: SessionCaller, tokenId: string): Promise<void> {
      await changeIdentities(async (tx) => {
        const now = clock.now();
        if (!(await tokenStore(tx, caller.brandId).revokeToken(tokenId, caller.userId, now)))
          throw tokenNotFound();
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'token.revoked',
          subject: `token:${tokenId}`,
          at: now,
        });
      });
    },

    /** For what outlives the check of its request, such as a stream of events. */
    async holdsStill(caller: MemberCaller): Promise<boolean> {
      if (caller.expiresAt && caller.expiresAt <= clock.now()) return false;
      return credentialStore(db).holdsStill(caller);
    },

    /** When the caller's own token was last used, this request included. */
    describeCredential: (caller: TokenCaller | SessionCaller) => ({
      kind: caller.kind,
      user_id: caller.userId,
      brand_id: caller.brandId,
      role: caller.role,
      scopes: [...caller.scopes],
      expires_at: caller.expiresAt,
      last_used_at: caller.kind === 'pat' ? clock.now() : null,
    }),

    async acceptInvitation(
      token: string,
      person: SessionCaller | undefined,
      newcomer: { full_name?: string; password?: string },
    ) {
      const invitation = await invitationStore(db).findInvitation(sha256Hex(token));
      if (invitation?.status !== 'pending' || invitation.expires_at <= clock.now())
        throw invitationNoLongerValid();
      if (person && person.email.toLowerCase() !== invitation.email.toLowerCase())
        throw invitationForAnother();
      const enrol = person ? async () => person.userId : await preparePerson(invitation, newcomer);
      return changeIdentities(async (tx) => {
        const now = clock.now();
        if (!(await invitationStore(tx).consumeInvitation(invitation.id, now)))
          throw invitationNoLongerValid();
        const userId = await enrol(tx);
        const role = await invitationStore(tx).turnGuestIntoMember(
          invitation.brand_id,
          userId,
          invitation.role,
          now,
        );
        await recordAudit(tx, {
          brandId: invitation.brand_id,
          actor: { kind: 'invitation', userId },
          action: 'invitation.accepted',
          subject: `invitation:${invitation.id}`,
          at: now,
        });
        return { brand_id: invitation.brand_id, role };
      });
    },

    async sweep(): Promise<number> {
      return credentialStore(db).deleteExpired(clock.now(), 1000);
    },
  };

  /** Somebody without an auth account becomes a person of their own; the password is hashed before the transaction begins. */
  async function preparePerson(
    invitation: InvitationRow,
    { full_name, password }: { full_name?: string; password?: string },
  ) {
    const account = await accountStore(db).findAccount(invitation.email);
    if (account?.password_hash) throw signInToAccept();
    if (full_name === undefined) throw fieldRequired('full_name');
    if (password === undefined) throw fieldRequired('password');
    const passwordHash = await hashPassword(password);
    return async (tx: Tx): Promise<number> => {
      const known = await accountStore(tx).findAccount(invitation.email);
      if (known?.password_hash) throw signInToAccept();
      if (!known)
        return accountStore(tx).createAccount({
          email: invitation.email,
          full_name,
          password_hash: passwordHash,
          created_at: clock.now(),
        });
      await accountStore(tx).changePassword(known.user_id, passwordHash, clock.now());
      return known.user_id;
    };
  }
}

export function requireCeiling(scopes: readonly string[], ceiling: readonly string[]): void {
  const outside = scopes.find((scope) => !ceiling.includes(scope));
  if (outside) throw scopeOutsideCeiling(outside);
}

/** Makes a token; its text is in the answer and nowhere else. */
export async function issueToken(
  tx: Tx,
  now: Date,
  wish: { brandId: number; userId: number; name: string; scopes: string[]; expiresAt: Date | null },
  actor: { kind: string; userId?: number; tokenId?: string },
) {
  const token = newToken(TOKEN_PREFIX);
  const record = await tokenStore(tx, wish.brandId).insertToken({
    token_id: newId(),
    token_hash: sha256Hex(token),
    user_id: wish.userId,
    name: wish.name,
    scopes: [...new Set(wish.scopes)],
    created_at: now,
    expires_at: wish.expiresAt,
  });
  await recordAudit(tx, {
    brandId: wish.brandId,
    actor,
    action: 'token.created',
    subject: `token:${record.token_id}`,
    details: { name: wish.name, scopes: record.scopes, user_id: wish.userId },
    at: now,
  });
  return { ...record, token };
}
