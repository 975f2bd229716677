import type { Db } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { type AuditEntry, recordAudit } from '../../services/audit.js';
import type { Mailer } from '../../services/mail-out.js';
import type { IdentityService } from '../identity/identity.service.js';
import type { InvitationRow } from '../identity/invitations/invitations.service.js';
import type { Invitation } from './guests.schemas.js';
import { guestStore } from './guests.store.js';
import { invitationLetter } from './letters.js';
import {
  alreadyInvited,
  alreadyMember,
  guestNotFound,
  invitationMailNotSent,
  invitationNotFound,
} from './workspaces.errors.js';

export type InvitationService = ReturnType<typeof createInvitationService>;

interface InvitationOptions {
  db: Db;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  baseUrl: string;
  identity: Pick<IdentityService, 'invitations'>;
}

const present = (row: InvitationRow): Invitation => ({
  ...row,
  expires_at: row.expires_at.toISOString(),
  created_at: row.created_at.toISOString(),
});

export function createInvitationService({ db, clock, log, mailer, baseUrl, identity }: InvitationOptions) {
  const auditOf = (caller: MemberCaller, action: string, id: number): AuditEntry => ({
    brandId: caller.brandId,
    actor: caller,
    action,
    subject: `invitation:${id}`,
    at: clock.now(),
  });

  function createInvitation(caller: MemberCaller, userId: number) {
    return inTransaction(db, async (tx) => {
      const person = await guestStore(tx, caller.brandId).findPerson(userId);
      if (person?.is_member) throw alreadyMember();
      if (!person?.is_guest) throw guestNotFound();
      const wish = { email: person.email, invitedBy: caller.userId };
      const created = await identity.invitations.create(tx, caller.brandId, wish);
      if (!created) throw alreadyInvited();
      await recordAudit(tx, auditOf(caller, 'invitation.created', created.invitation.id));
      return { ...created, person };
    });
  }

  async function revoke(caller: MemberCaller, id: number): Promise<void> {
    await inTransaction(db, async (tx) => {
      if (!(await identity.invitations.revoke(tx, caller.brandId, id))) throw invitationNotFound();
      await recordAudit(tx, auditOf(caller, 'invitation.revoked', id));
    });
  }

  return {
    /** The token is in the mail and nowhere else. */
    async inviteGuest(caller: MemberCaller, userId: number): Promise<Invitation> {
      const { invitation, token, person } = await createInvitation(caller, userId);
      const link = `${baseUrl}/invitations/${token}`;
      try {
        await mailer.send(
          invitationLetter({ to: person.email, name: person.full_name, workspace: caller.brandName, link }),
        );
      } catch (fault) {
        log.error({ err: fault }, 'An invitation mail could not be sent');
        // Nobody has the link, so it would only stand in the way of the next attempt.
        await revoke(caller, invitation.id);
        throw invitationMailNotSent();
      }
      return present(invitation);
    },

    async listInvitations(brandId: number): Promise<{ invitations: Invitation[]; total: number }> {
      const { invitations, total } = await identity.invitations.list(brandId);
      return { invitations: invitations.map(present), total };
    },

    revokeInvitation: revoke,
  };
}
