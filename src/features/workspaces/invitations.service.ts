import type { Db } from '../../database/database.js';
import { inTransaction } from '../../database/transaction.js';
import type { MemberCaller } from '../../kernel/access.js';
import { type Clock, DAY, secondsFrom } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { randomSecret, sha256Hex } from '../../kernel/secrets.js';
import { type AuditEntry, recordAudit } from '../../services/audit.js';
import type { Mailer } from '../../services/mail-out.js';
import type { Invitation } from './guests.schemas.js';
import { guestStore, invitationStore } from './guests.store.js';
import { invitationLetter } from './letters.js';
import {
  alreadyInvited,
  alreadyMember,
  guestNotFound,
  invitationMailNotSent,
  invitationNotFound,
} from './workspaces.errors.js';

const INVITATION_LIFETIME = 7 * DAY;
/** Beyond guessing, and short enough for a line of mail. */
const INVITATION_SECRET_BYTES = 24;

export type InvitationService = ReturnType<typeof createInvitationService>;

interface InvitationOptions {
  db: Db;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  baseUrl: string;
}

export function createInvitationService({ db, clock, log, mailer, baseUrl }: InvitationOptions) {
  const auditOf = (caller: MemberCaller, action: string, id: number): AuditEntry => ({
    brandId: caller.brandId,
    actor: caller,
    action,
    subject: `invitation:${id}`,
    at: clock.now(),
  });

  function createInvitation(caller: MemberCaller, userId: number, token: string) {
    return inTransaction(db, async (tx) => {
      const person = await guestStore(tx, caller.brandId).findPerson(userId);
      if (person?.is_member) throw alreadyMember();
      if (!person?.is_guest) throw guestNotFound();
      const store = invitationStore(tx, caller.brandId);
      const createdAt = clock.now();
      await store.expirePending(person.email, createdAt);
      const invitation = await store.insertPending({
        email: person.email,
        tokenHash: sha256Hex(token),
        invitedBy: caller.userId,
        createdAt,
        expiresAt: secondsFrom(createdAt, INVITATION_LIFETIME),
      });
      if (!invitation) throw alreadyInvited();
      await recordAudit(tx, auditOf(caller, 'invitation.created', invitation.id));
      return { invitation, person };
    });
  }

  async function revoke(caller: MemberCaller, id: number): Promise<void> {
    await inTransaction(db, async (tx) => {
      if (!(await invitationStore(tx, caller.brandId).revoke(id))) throw invitationNotFound();
      await recordAudit(tx, auditOf(caller, 'invitation.revoked', id));
    });
  }

  return {
    /** Only the digest of the token is kept; the token itself is in the mail and nowhere else. */
    async inviteGuest(caller: MemberCaller, userId: number): Promise<Invitation> {
      const token = randomSecret(INVITATION_SECRET_BYTES);
      const { invitation, person } = await createInvitation(caller, userId, token);
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
      return invitation;
    },

    listInvitations: (brandId: number) => invitationStore(db, brandId).listInvitations(clock.now()),

    revokeInvitation: revoke,
  };
}
