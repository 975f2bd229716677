import type { SessionCaller } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/addresses.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { UseRecorder } from '../credentials/credential-cache.js';
import { type SessionUse, type SignInWorkspace, sessionStore } from '../credentials/sessions.store.js';
import { sessionNotFound, signInRefused, workspaceNotFound } from '../identity.errors.js';
import { isPassword } from '../people/password-hash.js';
import { type Account, personStore } from '../people/people.store.js';
import type { Challenges } from './challenges.service.js';
import type { SessionLifetimes, SignInContext } from './session-opener.js';
import type { ClientInfo, KnownBrowsers, SignInCookies } from './sign-in-cookies.js';

interface SessionOptions extends SignInContext {
  challenges: Challenges;
  sessionUses: UseRecorder<SessionUse>;
}

interface SignIn {
  email: string;
  password: string;
  brandId: number | undefined;
  client: ClientInfo;
}

export type SignedIn =
  | { challenge: string }
  | { account: Pick<Account, 'user_id' | 'email' | 'full_name'>; workspace: SignInWorkspace; secret: string };

export function createSessionService(options: SessionOptions) {
  const { db, clock, changeIdentities, failures, signInAudit, openSession, challenges } = options;
  const { sessionUses, requireStillSignedIn } = options;

  const recordEnded = (tx: Tx, caller: SessionCaller, subject: string) =>
    recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action: 'session.closed',
      subject,
      at: clock.now(),
    });

  /** Undefined if the password has changed since it was compared. */
  const open = (account: Account, workspace: SignInWorkspace, client: ClientInfo) =>
    inTransaction(db, async (tx): Promise<SignedIn | undefined> => {
      const userId = account.user_id;
      const person = await personStore(tx).lock(userId);
      if (person?.password_hash !== account.password_hash) return undefined;
      const challenge = await challenges.createIfNeeded(tx, userId, workspace.brand_id);
      if (challenge !== undefined) return { challenge };
      const secret = await openSession(tx, { userId, workspace, client, by: 'password' });
      return { account, workspace, secret };
    });

  return {
    /**
     * Always compares one hash, even for an unknown or locked account, so that every response takes the same
     * time.
     */
    signIn({ email, password, brandId, client }: SignIn): Promise<SignedIn> {
      const compare = async () => {
        const account = await personStore(db).findAccount(email);
        return { account, matches: await isPassword(password, account?.password_hash) };
      };
      const work = async () => {
        const { account, matches } = await compare();
        const workspace =
          account && matches ? await sessionStore(db).findWorkspace(account.user_id, brandId) : undefined;
        const signedIn = account && workspace && (await open(account, workspace, client));
        if (!signedIn) {
          await signInAudit.recordFailure(account?.user_id, 'password');
          throw signInRefused();
        }
        return signedIn;
      };
      return failures.countingFailures({ ...client, email }, work, compare);
    },

    async signOut(caller: SessionCaller): Promise<void> {
      await changeIdentities(async (tx) => {
        await sessionStore(tx).deleteSession(caller.sessionId);
        await recordEnded(tx, caller, `session:${caller.sessionId}`);
      });
    },

    async switchWorkspace(caller: SessionCaller, brandId: number | undefined, client: ClientInfo) {
      const { userId, email, fullName } = caller;
      const workspace =
        brandId === undefined ? undefined : await sessionStore(db).findWorkspace(userId, brandId);
      if (!workspace) throw workspaceNotFound();
      const secret = await changeIdentities(async (tx) => {
        // Ending all sessions of the person now ends either this session or its successor.
        await personStore(tx).lock(userId);
        const ended = await sessionStore(tx).deleteSession(caller.sessionId);
        if (!ended) throw signInRefused();
        await recordEnded(tx, caller, `session:${caller.sessionId}`);
        return openSession(tx, {
          userId,
          workspace,
          client,
          by: 'switch',
          byProvider: ended.by_provider,
          signedInAt: ended.signed_in_at ?? ended.created_at,
        });
      });
      return { account: { user_id: userId, email, full_name: fullName }, workspace, secret };
    },

    async listOwn(caller: SessionCaller) {
      await sessionUses.write();
      const rows = await sessionStore(db).listSessions(caller.userId, clock.now());
      return rows.map((row) => ({ ...row, current: row.session_id === caller.sessionId }));
    },

    async endOwn(caller: SessionCaller, sessionId: string): Promise<void> {
      await changeIdentities(async (tx) => {
        if (!(await sessionStore(tx).deleteOwnSession(caller.userId, sessionId))) throw sessionNotFound();
        await recordEnded(tx, caller, `session:${sessionId}`);
      });
    },

    async endOthers(caller: SessionCaller): Promise<void> {
      await changeIdentities(async (tx) => {
        await personStore(tx).lock(caller.userId);
        await requireStillSignedIn(tx, caller);
        await sessionStore(tx).deleteSessionsOf(caller.userId, caller.sessionId);
        await recordEnded(tx, caller, `user:${caller.userId}`);
      });
    },
  };
}

export type OpenedSession = Extract<SignedIn, { secret: string }>;

export interface SessionCookieServices {
  sessionLifetimes: SessionLifetimes;
  knownBrowsers: KnownBrowsers;
}

export const sessionHeaders = (
  identity: SessionCookieServices,
  cookies: SignInCookies,
  { account, secret }: OpenedSession,
  knownBrowser: string | undefined,
) => ({
  'set-cookie': [
    cookies.session(secret, identity.sessionLifetimes.maxSeconds),
    cookies.known(identity.knownBrowsers.remember(knownBrowser, foldAccountName(account.email))),
  ],
});
