import type { Db } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { ApiError } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { type AuditEntry, recordAudit } from '../../services/audit.js';
import type { Mailer } from '../../services/mail-out.js';
import type { IdentityService } from '../identity/identity.service.js';
import { passwordChangedLetter, passwordResetLetter } from './letters.js';
import { memberStore } from './members.store.js';
import {
  memberNotFound,
  noAuthAccount,
  passwordNotSet,
  resetMailNotSent,
  sendResetLinkInstead,
} from './workspaces.errors.js';

export type MemberPasswordService = ReturnType<typeof createMemberPasswordService>;

interface PasswordOptions {
  db: Db;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  baseUrl: string;
  identity: Pick<
    IdentityService,
    'changeIdentities' | 'createPasswordReset' | 'setPassword' | 'hashPassword'
  >;
}

export function createMemberPasswordService({ db, clock, log, mailer, baseUrl, identity }: PasswordOptions) {
  async function getAccount(brandId: number, userId: number) {
    const account = await memberStore(db, brandId).findAccount(userId);
    if (!account) throw memberNotFound();
    return account;
  }

  const auditOf = (caller: MemberCaller, action: string, userId: number): AuditEntry => ({
    brandId: caller.brandId,
    actor: caller,
    action,
    subject: `user:${userId}`,
    at: clock.now(),
  });

  const failWith = (answer: () => ApiError, message: string) => (fault: unknown) => {
    if (fault instanceof ApiError) throw fault;
    log.error({ err: fault }, message);
    throw answer();
  };

  return {
    async sendResetLink(caller: MemberCaller, userId: number): Promise<string> {
      const { email, full_name } = await getAccount(caller.brandId, userId);
      const token = await inTransaction(db, async (tx) => {
        await recordAudit(tx, auditOf(caller, 'password.reset-link-sent', userId));
        return identity.createPasswordReset(tx, userId);
      });
      const link = `${baseUrl}/reset-password?token=${encodeURIComponent(token)}`;
      await mailer
        .send(passwordResetLetter({ to: email, name: full_name, workspace: caller.brandName, link }))
        .catch(failWith(resetMailNotSent, 'A password reset mail could not be sent'));
      return `A link to choose a new password was sent to ${email}`;
    },

    async setPassword(
      caller: MemberCaller,
      userId: number,
      password: string,
      sendEmail: boolean,
    ): Promise<string> {
      const account = await getAccount(caller.brandId, userId);
      if (!account.has_password) throw noAuthAccount();
      if (account.elsewhere || account.kind !== 'person') throw sendResetLinkInstead();
      await replacePassword(caller, userId, password).catch(
        failWith(passwordNotSet, 'A password could not be set'),
      );
      if (!sendEmail) return 'The password was changed';
      const letter = passwordChangedLetter({
        to: account.email,
        name: account.full_name,
        workspace: caller.brandName,
      });
      try {
        await mailer.send(letter);
        return `The password was changed and ${account.email} was told so`;
      } catch (fault) {
        log.error({ err: fault }, 'A password change mail could not be sent');
        return 'The password was changed, but the e-mail about it could not be sent';
      }
    },
  };

  async function replacePassword(caller: MemberCaller, userId: number, password: string): Promise<void> {
    const passwordHash = await identity.hashPassword(password);
    await identity.changeIdentities(async (tx) => {
      await identity.setPassword(tx, userId, passwordHash);
      await recordAudit(tx, auditOf(caller, 'password.set', userId));
    });
  }
}
