import type { SessionCaller } from '../../../kernel/access.js';
import type { Log } from '../../../kernel/log.js';
import type { Mailer } from '../../../platform/mail/mail-out.js';
import type { IdentityService } from '../../identity/index.js';
import { proofMailNotSent } from '../workspaces.errors.js';
import { factorRemovedLetter, proofLetter } from './letters.js';

interface AccountLetterOptions {
  log: Log;
  mailer: Mailer;
  identity: Pick<IdentityService, 'proofs'>;
}

/** What the service writes to people about their own account. */
export const createAccountLetterService = ({ log, mailer, identity }: AccountLetterOptions) => ({
  async sendProofCode(caller: SessionCaller): Promise<void> {
    const code = await identity.proofs.issueCode(caller);
    try {
      await mailer.send(proofLetter({ to: caller.email, name: caller.fullName, code }));
    } catch (fault) {
      log.error({ err: fault }, 'A letter with a code could not be sent');
      throw proofMailNotSent();
    }
  },

  /** What it tells of has happened, whether or not the letter arrives. */
  async tellFactorRemoved(person: { email: string; full_name: string }): Promise<void> {
    try {
      await mailer.send(factorRemovedLetter({ to: person.email, name: person.full_name }));
    } catch (fault) {
      log.error({ err: fault }, 'A letter about a removed second factor could not be sent');
    }
  },
});
