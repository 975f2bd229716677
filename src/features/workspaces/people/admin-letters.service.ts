import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { Mailer } from '../../../platform/mail/mail-out.js';
import { brandStore } from '../brands/brands.store.js';
import { noticeLetter } from './letters.js';
import { memberStore } from './members.store.js';

interface AdminLetterOptions {
  db: Db;
  log: Log;
  mailer: Mailer;
}

interface Notice {
  subject: string;
  paragraphs: [string, string];
}

/** What the service has to tell those who run a workspace. */
export const createAdminLetterService = ({ db, log, mailer }: AdminLetterOptions) => ({
  /** A letter to every admin; false when there are some, and none of the letters could be sent. */
  async tellAdmins(brandId: number, notice: Notice): Promise<boolean> {
    const brand = await brandStore(db).findBrand(brandId);
    if (!brand) return true;
    const members = await memberStore(db, brandId).listMembers();
    const admins = members.filter(({ role }) => role === 'admin');
    let sent = 0;
    for (const { email, full_name } of admins) {
      try {
        await mailer.send(noticeLetter({ to: email, name: full_name, workspace: brand.name }, notice));
        sent += 1;
      } catch (error) {
        log.error({ err: error }, 'A letter to an admin could not be sent');
      }
    }
    return sent > 0 || admins.length === 0;
  },
});
