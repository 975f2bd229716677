import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import { type AuditEntry, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Mailer, OutgoingMail } from '../../../platform/mail/mail-out.js';
import { type IdentityService, memberNotFound } from '../../identity/index.js';
import {
  noAuthAccount,
  passwordNotSet,
  resetMailNotSent,
  sendResetLinkInstead,
} from '../workspaces.errors.js';
import { forgottenPasswordMail, passwordChangedMail, passwordResetMail } from './mail-texts.js';
import { memberStore } from './members.store.js';

export type MemberPasswordService = ReturnType<typeof createMemberPasswordService>;

interface PasswordOptions {
  db: Db;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  baseUrl: string;
  identity: Pick<
    IdentityService,
    | 'changeIdentities'
    | 'createPasswordReset'
    | 'forgotten'
    | 'hashNewPassword'
    | 'people'
    | 'requireStillAdmin'
    | 'setPassword'
  >;
}

export function createMemberPasswordService({ db, clock, log, mailer, baseUrl, identity }: PasswordOptions) {
  async function getAccount(brandId: number, userId: number, inside: Db | Tx = db) {
    const account = await memberStore(inside, brandId).findAccount(userId);
    if (!account) throw memberNotFound();
    return account;
  }

  /** An admin can set only the password of a person who belongs to no other workspace. */
  async function getOwnAccount(brandId: number, userId: number, inside: Db | Tx = db) {
    const account = await getAccount(brandId, userId, inside);
    if (!account.has_password) throw noAuthAccount();
    if (account.elsewhere || account.kind !== 'person') throw sendResetLinkInstead();
    return account;
  }

  const auditOf = (caller: MemberCaller, action: string, userId: number): AuditEntry => ({
    brandId: caller.brandId,
    actor: caller,
    action,
    subject: `user:${userId}`,
    at: clock.now(),
  });

  const resetLink = (token: string) => `${baseUrl}/reset-password?token=${encodeURIComponent(token)}`;

  return {
    sendForgotten: () =>
      identity.forgotten.sendResetMails(({ email, fullName, token }) =>
        mailer
          .send(forgottenPasswordMail({ to: email, name: fullName, link: resetLink(token) }))
          .catch((fault) => {
            log.error({ err: fault }, 'A mail about a forgotten password could not be sent');
            throw fault;
          }),
      ),

    async sendResetLink(caller: MemberCaller, userId: number): Promise<string> {
      const { email, full_name } = await getAccount(caller.brandId, userId);
      const token = await inTransaction(db, async (tx) => {
        await identity.requireStillAdmin(tx, caller);
        await recordAudit(tx, auditOf(caller, 'password.reset-requested', userId));
        return identity.createPasswordReset(tx, userId);
      });
      const recipient = { to: email, name: full_name, workspace: caller.brandName };
      const mail = passwordResetMail({ ...recipient, link: resetLink(token) });
      if (!(await sendAndRecord(caller, userId, 'password.reset-link', mail))) throw resetMailNotSent();
      return `A link to choose a new password was sent to ${email}`;
    },

    async setPassword(
      caller: MemberCaller,
      userId: number,
      password: string,
      sendEmail: boolean,
    ): Promise<string> {
      const account = await getOwnAccount(caller.brandId, userId);
      await replacePassword(caller, userId, password, account).catch((fault) => {
        // A rejected password is the caller's error, not a failure to log.
        if (fault instanceof ApiError) throw fault;
        log.error({ err: fault }, 'A password could not be set');
        throw passwordNotSet();
      });
      if (!sendEmail) return 'The password was changed';
      const mail = passwordChangedMail({
        to: account.email,
        name: account.full_name,
        workspace: caller.brandName,
      });
      return (await sendAndRecord(caller, userId, 'password.change-letter', mail))
        ? `The password was changed and ${account.email} was notified`
        : 'The password was changed, but the e-mail about it could not be sent';
    },
  };

  async function sendAndRecord(
    caller: MemberCaller,
    userId: number,
    action: string,
    mail: OutgoingMail,
  ): Promise<boolean> {
    const sent = await mailer.send(mail).then(
      () => true,
      (fault) => {
        log.error({ err: fault }, 'A mail about a password could not be sent');
        return false;
      },
    );
    await recordAudit(db, auditOf(caller, `${action}-${sent ? 'sent' : 'not-sent'}`, userId));
    return sent;
  }

  async function replacePassword(
    caller: MemberCaller,
    userId: number,
    password: string,
    owner: { email: string; full_name: string },
  ): Promise<void> {
    const passwordHash = await identity.hashNewPassword(password, owner);
    await identity.changeIdentities(async (tx) => {
      await identity.people.lock(tx, userId);
      await identity.requireStillAdmin(tx, caller);
      // Checked again under the lock, which keeps the person from joining another workspace meanwhile.
      await getOwnAccount(caller.brandId, userId, tx);
      await identity.setPassword(tx, userId, passwordHash);
      await recordAudit(tx, auditOf(caller, 'password.set', userId));
    });
  }
}
