import type { Db } from '../../../database/database.js';
import { inTransaction } from '../../../database/transaction.js';
import type { SessionCaller } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/account-names.js';
import { type Clock, DAY, secondsFrom } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { recordAudit } from '../../../services/audit.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { guestAccessStore } from '../guests/guests.store.js';
import { signInRefused } from '../identity.errors.js';
import { membershipStore } from '../members/members.store.js';
import { isPassword } from '../passwords/password-hash.js';
import { type Account, personStore } from '../people/people.store.js';
import type { FailedAttempts } from './failed-attempts.js';
import { sessionStore, type Workplace } from './sessions.store.js';

const SESSION_LIFETIME = 14 * DAY;

interface SessionOptions {
  db: Db;
  clock: Clock;
  changeIdentities: ChangeIdentities;
  countingFailures: FailedAttempts;
}

interface SignIn {
  email: string;
  password: string;
  brandId: number | undefined;
  address: string;
}

export function createSessionService({ db, clock, changeIdentities, countingFailures }: SessionOptions) {
  async function openSession(account: Account, workplace: Workplace): Promise<string> {
    const secret = randomSecret();
    const now = clock.now();
    await inTransaction(db, async (tx) => {
      // Who leaves at this moment leaves after the session is there, and takes it along.
      const { brand_id, role } = workplace;
      const belongs =
        role === 'guest'
          ? await guestAccessStore(tx, brand_id).holdGuest(account.user_id)
          : await membershipStore(tx, brand_id).holdMember(account.user_id);
      if (!belongs) throw signInRefused();
      await sessionStore(tx).insertSession({
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
    sessionLifetimeSeconds: SESSION_LIFETIME,

    signIn: ({ email, password, brandId, address }: SignIn) =>
      countingFailures(address, foldAccountName(email), async () => {
        const account = await personStore(db).findAccount(email);
        const known = await isPassword(password, account?.password_hash);
        const workplace =
          account && known ? await sessionStore(db).findWorkplace(account.user_id, brandId) : undefined;
        if (!account || !workplace) throw signInRefused();
        return { account, workplace, secret: await openSession(account, workplace) };
      }),

    async signOut(caller: SessionCaller): Promise<void> {
      await changeIdentities((tx) => sessionStore(tx).deleteSession(caller.sessionId));
    },
  };
}
