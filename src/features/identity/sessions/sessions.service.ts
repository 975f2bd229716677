import type { SessionCaller } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/account-names.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { type SessionUse, sessionStore, type Workplace } from '../credentials/sessions.store.js';
import type { StillAllowed } from '../credentials/still-allowed.js';
import type { Uses } from '../credentials/uses.js';
import { sessionNotFound, signInRefused, workspaceNotFound } from '../identity.errors.js';
import { isPassword } from '../people/password-hash.js';
import { type Account, personStore } from '../people/people.store.js';
import type { Challenges } from './challenges.service.js';
import type { FailedAttempts } from './failed-attempts.js';
import type { KnownBrowsers } from './known-browsers.js';
import type { OpenSession } from './session-opener.js';
import type { SignInAudit } from './sign-in-audit.js';
import type { Visitor } from './visitor.js';

interface SessionOptions {
  db: Db;
  clock: Clock;
  changeIdentities: ChangeIdentities;
  failures: FailedAttempts;
  signInAudit: SignInAudit;
  knownBrowsers: KnownBrowsers;
  openSession: OpenSession;
  challenges: Challenges;
  sessionUses: Uses<SessionUse>;
  requireStillSignedIn: StillAllowed['requireStillSignedIn'];
}

interface SignIn {
  email: string;
  password: string;
  brandId: number | undefined;
  visitor: Visitor;
}

/** An open session, or the question for a code that stands before it. */
export type SignedIn =
  | { challenge: string }
  | { account: Pick<Account, 'user_id' | 'email' | 'full_name'>; workplace: Workplace; secret: string };

export function createSessionService(options: SessionOptions) {
  const { db, clock, changeIdentities, failures, signInAudit, knownBrowsers, openSession, challenges } =
    options;
  const { sessionUses, requireStillSignedIn } = options;

  const recordEnded = (caller: SessionCaller, subject: string) => ({
    brandId: caller.brandId,
    actor: caller,
    action: 'session.closed',
    subject,
    at: clock.now(),
  });

  /** Undefined when the password has changed since it was compared. */
  const admit = (account: Account, workplace: Workplace, visitor: Visitor): Promise<SignedIn | undefined> =>
    inTransaction(db, async (tx) => {
      const userId = account.user_id;
      const person = await personStore(tx).hold(userId);
      if (person?.password_hash !== account.password_hash) return undefined;
      const challenge = await challenges.askIfSet(tx, userId, workplace.brand_id);
      if (challenge !== undefined) return { challenge };
      const secret = await openSession(tx, { userId, workplace, visitor, by: 'password' });
      return { account, workplace, secret };
    });

  return {
    /** Known or not, locked or not, with a password or only another provider's word: one hash is compared, and takes its time. */
    signIn({ email, password, brandId, visitor }: SignIn): Promise<SignedIn> {
      const name = foldAccountName(email);
      const browser = knownBrowsers.idFor(visitor.knownBrowser, name);
      const compare = async () => {
        const account = await personStore(db).findAccount(email);
        return { account, known: await isPassword(password, account?.password_hash) };
      };
      const enter = async () => {
        const { account, known } = await compare();
        const workplace =
          account && known ? await sessionStore(db).findWorkplace(account.user_id, brandId) : undefined;
        const signedIn = account && workplace && (await admit(account, workplace, visitor));
        if (!signedIn) {
          await signInAudit.recordFailure(account?.user_id, { what: 'password' });
          throw signInRefused();
        }
        return signedIn;
      };
      return failures.countingFailures({ address: visitor.address, account: name, browser }, enter, compare);
    },

    async signOut(caller: SessionCaller): Promise<void> {
      await changeIdentities(async (tx) => {
        await sessionStore(tx).deleteSession(caller.sessionId);
        await recordAudit(tx, recordEnded(caller, `session:${caller.sessionId}`));
      });
    },

    /** The same sign-in, in another workspace of the person; the session of this one ends. */
    async switchWorkspace(caller: SessionCaller, brandId: number | undefined, visitor: Visitor) {
      const { userId, email, fullName } = caller;
      const wished =
        brandId === undefined ? undefined : await sessionStore(db).findWorkplace(userId, brandId);
      if (!wished) throw workspaceNotFound();
      const secret = await changeIdentities(async (tx) => {
        // All sessions of a person end before this one is followed by another, or together with that one.
        await personStore(tx).hold(userId);
        const left = await sessionStore(tx).deleteSession(caller.sessionId);
        if (!left) throw signInRefused();
        await recordAudit(tx, recordEnded(caller, `session:${caller.sessionId}`));
        const signedInAt = left.signed_in_at ?? left.created_at;
        const followed = { signedInAt, byProvider: left.by_provider };
        return openSession(tx, { userId, workplace: wished, visitor, by: 'switch', ...followed });
      });
      return { account: { user_id: userId, email, full_name: fullName }, workplace: wished, secret };
    },

    async listOwn(caller: SessionCaller) {
      await sessionUses.write();
      const rows = await sessionStore(db).listSessions(caller.userId, clock.now());
      return rows.map((row) => ({ ...row, current: row.session_id === caller.sessionId }));
    },

    async endOwn(caller: SessionCaller, sessionId: string): Promise<void> {
      await changeIdentities(async (tx) => {
        if (!(await sessionStore(tx).deleteOwnSession(caller.userId, sessionId))) throw sessionNotFound();
        await recordAudit(tx, recordEnded(caller, `session:${sessionId}`));
      });
    },

    async endOthers(caller: SessionCaller): Promise<void> {
      await changeIdentities(async (tx) => {
        await personStore(tx).hold(caller.userId);
        await requireStillSignedIn(tx, caller);
        await sessionStore(tx).deleteSessionsOf(caller.userId, caller.sessionId);
        await recordAudit(tx, recordEnded(caller, `user:${caller.userId}`));
      });
    },
  };
}
