import type { MemberCaller, SessionCaller, TokenCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import { sweepInBatches } from '../../platform/jobs/sweep.js';
import type { RateLimits } from '../../platform/limits/rate-limits.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { createAdminKeyCheck } from './credentials/admin-keys.js';
import { credentialStore } from './credentials/credentials.store.js';
import { createIdentityCache } from './credentials/identity-cache.js';
import { createIdentityNews } from './credentials/identity-news.js';
import type { LeavingOptions } from './credentials/leaving.js';
import { challengeStore } from './credentials/mfa.store.js';
import { deleteExpiredProofs } from './credentials/proof.store.js';
import { sessionStore } from './credentials/sessions.store.js';
import { createStillAllowed } from './credentials/still-allowed.js';
import { createUses } from './credentials/uses.js';
import { createErasingService } from './erasing/erasing.service.js';
import { createForgottenPasswordService } from './factors/forgotten.service.js';
import { createMfaService } from './factors/mfa.service.js';
import { createPasswordProof } from './factors/password-proof.js';
import { createPasswordService } from './factors/passwords.service.js';
import { passwordResetStore } from './factors/passwords.store.js';
import { createProofService } from './factors/proof.service.js';
import { createMeService } from './me/me.service.js';
import { createGuestAccessService } from './membership/guests.service.js';
import { createInvitationService } from './membership/invitations.service.js';
import { createMemberService } from './membership/members.service.js';
import { createOidcService } from './oidc/oidc.service.js';
import { createOidcAdmission } from './oidc/oidc-admission.js';
import type { OidcSettings } from './oidc/oidc-provider.js';
import { nameAccounts } from './people/account-naming.js';
import { createPeopleService } from './people/people.service.js';
import { describePerson, identityAuthenticators, type RememberedSession } from './sessions/authenticators.js';
import { createChallengeService } from './sessions/challenges.service.js';
import { createFailedAttempts } from './sessions/failed-attempts.js';
import { createKnownBrowsers } from './sessions/known-browsers.js';
import type { SessionLifetimes } from './sessions/session-lifetimes.js';
import { createSessionOpener } from './sessions/session-opener.js';
import { createSessionService } from './sessions/sessions.service.js';
import { createSignInAudit } from './sessions/sign-in-audit.js';
import { createTokenService } from './sessions/tokens.service.js';

export type { StillAllowed } from './credentials/still-allowed.js';
export type { HoldProof } from './factors/password-proof.js';
export type { GivenProof } from './factors/proof.service.js';
export type { DoorCookies } from './sessions/door-cookies.js';
export type { Visitor } from './sessions/visitor.js';

export interface IdentityOptions extends LeavingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  notifications: Notifications;
  rateLimits: RateLimits;
  jobs: Pick<Jobs, 'trigger'>;
  secrets: SecretBox;
  adminKeys: readonly string[];
  sessionLifetimes: SessionLifetimes;
  /** Undefined: nobody signs in by a provider. */
  oidc: OidcSettings | undefined;
  baseUrl: string;
}

export type IdentityService = ReturnType<typeof createIdentityService>;

/** People, where they belong, and what proves who they are. No other feature writes what is kept here. */
export function createIdentityService(options: IdentityOptions) {
  const { db, clock, log, notifications, rateLimits, jobs, outbox, secrets, adminKeys } = options;
  const { sessionLifetimes: lifetimes } = options;
  const canHearNews = () => notifications.healthy;
  const remembered = {
    tokens: createIdentityCache<TokenCaller>(canHearNews),
    sessions: createIdentityCache<RememberedSession>(canHearNews),
  };
  const changeIdentities = createIdentityNews(db, notifications, () => {
    remembered.tokens.clear();
    remembered.sessions.clear();
  });
  const tokenUses = createUses(credentialStore(db).recordTokenUse, log);
  const sessionUses = createUses(sessionStore(db).recordUse, log);
  const signInAudit = createSignInAudit(db, clock);
  const knownBrowsers = createKnownBrowsers(secrets);
  const failures = createFailedAttempts(rateLimits, signInAudit.recordLockOut);
  const openSession = createSessionOpener({ clock, changeIdentities, lifetimes });
  const stillAllowed = createStillAllowed({ clock });
  const counted = { db, failures, signInAudit, knownBrowsers, ...stillAllowed };
  const parted = { ...counted, clock, secrets, rateLimits, provePassword: createPasswordProof(counted) };
  const proofs = createProofService(parted);
  const door = { ...parted, openSession, prove: proofs.prove };
  const outside = { jobs, outbox, rateLimits, removeBelongings: options.removeBelongings };
  const parts = { ...door, ...outside, db, clock, log, changeIdentities, tokenUses, sessionUses };
  const challenges = createChallengeService(parts);
  const passwords = createPasswordService(parts);
  const invitations = createInvitationService({ ...parts, setPassword: passwords.setPassword });

  function createOidc(settings: OidcSettings) {
    const admission = createOidcAdmission({ clock, log, outbox, settings, invitations });
    const redirectUri = `${options.baseUrl}/api/v1/auth/oidc/callback`;
    return createOidcService({ ...parts, challenges, admission, settings, redirectUri });
  }

  return {
    ...passwords,
    ...stillAllowed,
    sessionLifetimes: lifetimes,
    knownBrowsers,
    challenges,
    proofs,
    sessions: createSessionService({ ...parts, challenges }),
    forgotten: createForgottenPasswordService({ ...parts, ...passwords }),
    mfa: createMfaService(parts),
    me: createMeService({ ...parts, passwords, hasProvider: options.oidc !== undefined }),
    oidc: options.oidc && createOidc(options.oidc),
    authenticators: {
      ...identityAuthenticators({ db, clock, ...remembered, lifetimes, tokenUses, sessionUses }),
      isAdminKey: createAdminKeyCheck({ adminKeys, rateLimits, log }),
    },
    changeIdentities,
    people: createPeopleService(parts),
    erasing: createErasingService(parts),
    members: createMemberService(parts),
    guests: createGuestAccessService(parts),
    invitations,
    tokens: createTokenService(parts),

    async start(): Promise<void> {
      await nameAccounts(db, log);
      tokenUses.start();
      sessionUses.start();
    },
    async stop(): Promise<void> {
      await tokenUses.stop();
      await sessionUses.stop();
    },

    /** For what outlives the check of its request, such as a stream of events. */
    async holdsStill(caller: MemberCaller): Promise<boolean> {
      if (caller.expiresAt && caller.expiresAt <= clock.now()) return false;
      return credentialStore(db).holdsStill(caller);
    },

    /** Whoever acts for a person of the workspace, such as a coder that they set to work, acts only while they belong to it. */
    async findMember(brandId: number, userId: number) {
      const row = await credentialStore(db).findMember(brandId, userId);
      return row && { ...describePerson(row), role: row.role };
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
      agent_id: caller.agent?.agentId ?? null,
    }),

    async sweep(signal: AbortSignal): Promise<number> {
      await nameAccounts(db, log);
      const now = clock.now();
      // Or a session would go that was used a moment ago.
      await sessionUses.write();
      let swept = 0;
      for (const removeSome of [
        (limit: number) => sessionStore(db).deleteExpired(now, limit),
        (limit: number) => challengeStore(db).deleteExpired(now, limit),
        (limit: number) => deleteExpiredProofs(db, now, limit),
        (limit: number) => passwordResetStore(db).deleteExpired(now, limit),
      ])
        swept += await sweepInBatches(signal, removeSome);
      return swept;
    },
  };
}
