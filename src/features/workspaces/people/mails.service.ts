import type { SessionCaller } from '../../../kernel/access.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Mailer } from '../../../platform/mail/mail-out.js';
import type { IdentityService } from '../../identity/index.js';
import { brandStore } from '../brands/brands.store.js';
import { proofMailNotSent } from '../workspaces.errors.js';
import { factorRemovedMail, noticeMail, proofMail } from './mail-texts.js';
import { memberStore } from './members.store.js';

interface MailOptions {
  db: Db;
  log: Log;
  mailer: Mailer;
  identity: Pick<IdentityService, 'proofs'>;
}

export type MailService = ReturnType<typeof createMailService>;

export const createMailService = ({ db, log, mailer, identity }: MailOptions) => ({
  async sendProofCode(caller: SessionCaller): Promise<void> {
    const code = await identity.proofs.issueCode(caller);
    try {
      await mailer.send(proofMail({ to: caller.email, name: caller.fullName, code }));
    } catch (error) {
      log.error({ err: error }, 'A mail with a code could not be sent');
      throw proofMailNotSent();
    }
  },

  /** The second factor is removed whether or not the mail can be sent. */
  async sendFactorRemoved(person: { email: string; full_name: string }): Promise<void> {
    try {
      await mailer.send(factorRemovedMail({ to: person.email, name: person.full_name }));
    } catch (error) {
      log.error({ err: error }, 'A mail about a removed second factor could not be sent');
    }
  },

  async notifyAdmins(
    brandId: number,
    notice: { subject: string; paragraphs: [string, string] },
  ): Promise<boolean> {
    const brand = await brandStore(db).findBrand(brandId);
    if (!brand) return true;
    const members = await memberStore(db, brandId).listMembers();
    const admins = members.filter(({ role }) => role === 'admin');
    let sent = 0;
    for (const { email, full_name } of admins) {
      try {
        await mailer.send(noticeMail({ to: email, name: full_name, workspace: brand.name }, notice));
        sent += 1;
      } catch (error) {
        log.error({ err: error }, 'A mail to an admin could not be sent');
      }
    }
    return sent > 0 || admins.length === 0;
  },
});
