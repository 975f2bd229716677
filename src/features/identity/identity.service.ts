import type { MemberCaller, SessionCaller, TokenCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { Notifications } from '../../platform/events/notifications.js';
import { sweepInBatches } from '../../platform/jobs/batches.js';
import type { JobDefinition, Jobs } from '../../platform/jobs/jobs.js';
import type { RateLimits } from '../../platform/limits/rate-limits.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import { createCredentialCache, createUseRecorder } from './credentials/credential-cache.js';
import { credentialStore } from './credentials/credentials.store.js';
import { createCallerChecks, createIdentityChanges } from './credentials/identity-changes.js';
import { challengeStore, deleteExpiredProofs } from './credentials/mfa.store.js';
import { sessionStore } from './credentials/sessions.store.js';
import { createSignInAudit } from './credentials/sign-in-audit.js';
import { createErasingService } from './erasing/erasing.service.js';
import { createMfaService } from './factors/mfa.service.js';
import { createForgottenPasswordService, createPasswordService } from './factors/passwords.service.js';
import { passwordResetStore } from './factors/passwords.store.js';
import { createProofService } from './factors/proof.service.js';
import { createMeService } from './me/me.service.js';
import { createInvitationService } from './members/invitations.service.js';
import {
  createGuestAccessService,
  createMemberService,
  type LeavingContext,
} from './members/members.service.js';
import { createOidcService } from './oidc/oidc.service.js';
import { createOidcAdmission } from './oidc/oidc-admission.js';
import type { OidcSettings } from './oidc/oidc-provider.js';
import { nameAccounts } from './people/account-names.store.js';
import { type NewPerson, type PeopleQuery, personStore } from './people/people.store.js';
import {
  type CachedSession,
  createAdminKeyCheck,
  describePerson,
  identityAuthenticators,
} from './sessions/authenticators.js';
import { createChallengeService } from './sessions/challenges.service.js';
import { createFailedAttempts } from './sessions/failed-attempts.js';
import { createSessionOpener, type SessionLifetimes } from './sessions/session-opener.js';
import { createSessionService } from './sessions/sessions.service.js';
import { createKnownBrowsers } from './sessions/sign-in-cookies.js';
import { createTokenService } from './sessions/tokens.service.js';

export interface IdentityOptions extends Pick<LeavingContext, 'outbox' | 'removeBelongings'> {
  db: Db;
  clock: Clock;
  log: Log;
  notifications: Notifications;
  rateLimits: RateLimits;
  jobs: Pick<Jobs, 'trigger'>;
  secrets: SecretBox;
  adminKeys: readonly string[];
  sessionLifetimes: SessionLifetimes;
  oidc: OidcSettings | undefined;
  baseUrl: string;
}

export type IdentityService = ReturnType<typeof createIdentityService>;

/** People, their memberships and their credentials. No other feature writes these tables. */
export function createIdentityService(options: IdentityOptions) {
  const { db, clock, log, notifications, rateLimits, jobs, outbox, secrets } = options;
  const { sessionLifetimes, removeBelongings } = options;
  const hearsChanges = () => notifications.healthy;
  const caches = {
    tokens: createCredentialCache<TokenCaller>(hearsChanges),
    sessions: createCredentialCache<CachedSession>(hearsChanges),
  };
  const changeIdentities = createIdentityChanges(db, notifications, () => {
    caches.tokens.clear();
    caches.sessions.clear();
  });
  const tokenUses = createUseRecorder(credentialStore(db).recordTokenUse, log);
  const sessionUses = createUseRecorder(sessionStore(db).recordUse, log);
  const callerChecks = createCallerChecks({ clock });
  const signInAudit = createSignInAudit(db, clock);
  const knownBrowsers = createKnownBrowsers(secrets);
  const failures = createFailedAttempts({ rateLimits, knownBrowsers, signInAudit });
  const openSession = createSessionOpener({ clock, changeIdentities }, sessionLifetimes);
  const context = { db, clock, changeIdentities, ...callerChecks, outbox, removeBelongings };
  const signIn = { ...context, secrets, failures, signInAudit, openSession };
  const proofs = createProofService(signIn, rateLimits);
  const challenges = createChallengeService(signIn);
  const passwords = createPasswordService({ ...signIn, prove: proofs.prove });
  const invitations = createInvitationService({ ...context, setPassword: passwords.setPassword });

  function createOidc(settings: OidcSettings) {
    const admission = createOidcAdmission({ clock, log, outbox, settings, invitations });
    const redirectUri = `${options.baseUrl}/api/v1/auth/oidc/callback`;
    return createOidcService({ ...signIn, log, challenges, admission, settings, redirectUri });
  }

  return {
    ...passwords,
    ...callerChecks,
    changeIdentities,
    sessionLifetimes,
    knownBrowsers,
    challenges,
    proofs,
    sessions: createSessionService({ ...signIn, challenges, sessionUses }),
    forgotten: createForgottenPasswordService({ ...signIn, ...passwords, jobs, rateLimits }),
    mfa: createMfaService({ ...signIn, prove: proofs.prove }),
    me: createMeService({ ...context, passwords, hasProvider: options.oidc !== undefined }),
    oidc: options.oidc && createOidc(options.oidc),
    authenticators: {
      ...identityAuthenticators({
        db,
        clock,
        ...caches,
        lifetimes: sessionLifetimes,
        tokenUses,
        sessionUses,
      }),
      isAdminKey: createAdminKeyCheck(options.adminKeys, rateLimits, log),
    },
    erasing: createErasingService(context),
    members: createMemberService(context),
    guests: createGuestAccessService(context),
    invitations,
    tokens: createTokenService({ ...context, tokenUses }),

    people: {
      create: (tx: Tx, person: Omit<NewPerson, 'created_at'>) =>
        personStore(tx).insertPerson({ ...person, created_at: clock.now() }),
      findByEmail: (tx: Tx, email: string) => personStore(tx).findByAddress(email),
      exists: async (tx: Tx, userId: number) => (await personStore(tx).findPerson(userId)) !== undefined,
      list: (query: PeopleQuery) => personStore(db).listPeople(query),
      count: (q: string | undefined) => personStore(db).countPeople(q),
      /** Until the transaction ends, blocks password changes, sign-ins and joining a workspace for the person. */
      lock: async (tx: Tx, userId: number): Promise<void> => void (await personStore(tx).lock(userId)),
    },

    async start(): Promise<void> {
      await nameAccounts(db, log);
      tokenUses.start();
      sessionUses.start();
    },
    async stop(): Promise<void> {
      await tokenUses.stop();
      await sessionUses.stop();
    },

    /** For work that outlives its request, such as an event stream. */
    async isStillValid(caller: MemberCaller): Promise<boolean> {
      if (caller.expiresAt && caller.expiresAt <= clock.now()) return false;
      return credentialStore(db).isStillValid(caller);
    },

    /** For coders and others that act for a person, which is allowed only while that person is a member. */
    async findMember(brandId: number, userId: number) {
      const row = await credentialStore(db).findMember(brandId, userId);
      return row && { ...describePerson(row), role: row.role };
    },

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
      // Otherwise a session that was just used would be deleted.
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

export const identityJobs = (identity: IdentityService): JobDefinition[] => [
  {
    name: 'identity-sweep',
    description: 'Removes sessions, invitations and challenges that have expired.',
    schedule: { cron: '17 * * * *' },
    run: async ({ signal }) => ({ processed: await identity.sweep(signal), failed: 0 }),
  },
];
