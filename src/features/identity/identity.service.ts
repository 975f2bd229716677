import type { Db } from '../../database/database.js';
import type { Notifications } from '../../database/notifications.js';
import type { MemberCaller, SessionCaller, TokenCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { RateLimits } from '../../services/rate-limits.js';
import type { WebhookOutbox } from '../../services/webhook-outbox.js';
import { identityAuthenticators } from './credentials/authenticators.js';
import { credentialStore } from './credentials/credentials.store.js';
import { createIdentityCache } from './credentials/identity-cache.js';
import { createIdentityNews } from './credentials/identity-news.js';
import { createTokenUses } from './credentials/token-uses.js';
import { createGuestAccessService } from './guests/guests.service.js';
import { createInvitationService } from './invitations/invitations.service.js';
import { createMemberService } from './members/members.service.js';
import { createPasswordService } from './passwords/passwords.service.js';
import { passwordResetStore } from './passwords/passwords.store.js';
import { nameAccounts } from './people/account-naming.js';
import { createPeopleService } from './people/people.service.js';
import { createFailedAttempts } from './sessions/failed-attempts.js';
import { createSessionService } from './sessions/sessions.service.js';
import { sessionStore } from './sessions/sessions.store.js';
import { createTokenService } from './tokens/tokens.service.js';

const SWEEP_BATCH = 1000;

export interface IdentityOptions {
  db: Db;
  clock: Clock;
  log: Log;
  notifications: Notifications;
  rateLimits: RateLimits;
  outbox: Pick<WebhookOutbox, 'tell'>;
  adminKey: string;
}

export type IdentityService = ReturnType<typeof createIdentityService>;

/** People, where they belong, and what proves who they are. No other feature writes what is kept here. */
export function createIdentityService(options: IdentityOptions) {
  const { db, clock, log, notifications, rateLimits, outbox, adminKey } = options;
  const canHearNews = () => notifications.healthy;
  const remembered = {
    tokens: createIdentityCache<TokenCaller>(canHearNews),
    sessions: createIdentityCache<SessionCaller>(canHearNews),
  };
  const changeIdentities = createIdentityNews(db, notifications, () => {
    remembered.tokens.clear();
    remembered.sessions.clear();
  });
  const uses = createTokenUses(db, log);
  const countingFailures = createFailedAttempts(rateLimits);
  const parts = { db, clock, changeIdentities, countingFailures, uses, outbox };
  const passwords = createPasswordService(parts);

  return {
    ...createSessionService(parts),
    ...passwords,
    authenticators: identityAuthenticators({ db, clock, ...remembered, uses, adminKey }),
    changeIdentities,
    people: createPeopleService(parts),
    members: createMemberService(parts),
    guests: createGuestAccessService(parts),
    invitations: createInvitationService({ ...parts, setPassword: passwords.setPassword }),
    tokens: createTokenService(parts),

    async start(): Promise<void> {
      await nameAccounts(db, log);
      uses.start();
    },
    stop: () => uses.stop(),

    /** For what outlives the check of its request, such as a stream of events. */
    async holdsStill(caller: MemberCaller): Promise<boolean> {
      if (caller.expiresAt && caller.expiresAt <= clock.now()) return false;
      return credentialStore(db).holdsStill(caller);
    },

    /** When the caller's own token was last used, this request included. */
    describeCredential: (caller: MemberCaller) => ({
      kind: caller.kind,
      user_id: caller.userId,
      brand_id: caller.brandId,
      role: caller.role,
      scopes: [...caller.scopes],
      expires_at: caller.expiresAt,
      last_used_at: caller.kind === 'pat' ? clock.now() : null,
    }),

    async sweep(): Promise<number> {
      await nameAccounts(db, log);
      const now = clock.now();
      const sessions = await sessionStore(db).deleteExpired(now, SWEEP_BATCH);
      return sessions + (await passwordResetStore(db).deleteExpired(now, SWEEP_BATCH));
    },
  };
}
