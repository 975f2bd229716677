import type { GuestLevel, MemberCaller, MemberRole } from '../../../kernel/access.js';
import { type Clock, HOUR } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { type AuditEntry, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import type { Mailer, OutgoingMail } from '../../../platform/mail/mail-out.js';
import type { GuestResource, IdentityService, InvitationRow } from '../../identity/index.js';
import { docsSpaceStore } from '../docs-spaces/docs-spaces.store.js';
import {
  alreadyInvited,
  alreadyMember,
  guestNotFound,
  invitationMailNotSent,
  invitationNotFound,
  spaceNotFound,
  TOO_MANY_INVITATIONS,
} from '../workspaces.errors.js';
import type { Invitation } from '../workspaces.schemas.js';
import type { GuestBoards } from './guests.service.js';
import { guestInvitationMail, invitationMail } from './mail-texts.js';
import { guestStore } from './members.store.js';

export type InvitationService = ReturnType<typeof createInvitationService>;

/** Limits invitations per workspace and hour, because they are mails to arbitrary addresses. */
const MOST_AN_HOUR = 200;

interface InvitationOptions {
  db: Db;
  clock: Clock;
  log: Log;
  mailer: Mailer;
  baseUrl: string;
  rateLimits: RateLimits;
  boards: Pick<GuestBoards, 'holdGuestBoard'>;
  identity: Pick<IdentityService, 'invitations' | 'people' | 'requireStillAdmin'>;
}

interface PreparedInvitation {
  invitation: InvitationRow;
  token: string;
  mail: (link: string) => OutgoingMail;
  /** Set when the invitation may grant further resources. */
  resource?: GuestResource;
}

const present = (row: InvitationRow): Invitation => ({
  ...row,
  expires_at: row.expires_at.toISOString(),
  created_at: row.created_at.toISOString(),
});

export function createInvitationService(options: InvitationOptions) {
  const { db, clock, log, mailer, baseUrl, boards, identity } = options;
  const mailLimit = options.rateLimits.limiter('invitations', {
    points: MOST_AN_HOUR,
    durationSeconds: HOUR,
    detail: TOO_MANY_INVITATIONS,
  });
  const auditOf = (
    caller: MemberCaller,
    action: string,
    id: number,
    details: Record<string, unknown> = {},
  ): AuditEntry => ({
    brandId: caller.brandId,
    actor: caller,
    action,
    subject: `invitation:${id}`,
    details,
    at: clock.now(),
  });

  async function revoke(caller: MemberCaller, id: number): Promise<void> {
    await inTransaction(db, async (tx) => {
      if (!(await identity.invitations.revoke(tx, caller.brandId, id))) throw invitationNotFound();
      await recordAudit(tx, auditOf(caller, 'invitation.revoked', id));
    });
  }

  /** Called when the mail could not be sent: otherwise the invitation would block the next attempt. */
  async function undo(caller: MemberCaller, { invitation, resource }: PreparedInvitation): Promise<void> {
    if (!resource) return revoke(caller, invitation.id);
    await inTransaction(db, async (tx) => {
      await identity.invitations.dropGrant(tx, caller.brandId, invitation.id, resource);
      await recordAudit(tx, auditOf(caller, 'invitation.revoked', invitation.id));
    });
  }

  /** The token is sent by mail and stored only as a hash. */
  async function invite(
    caller: MemberCaller,
    prepare: (tx: Tx) => Promise<PreparedInvitation>,
  ): Promise<Invitation> {
    const prepared = await inTransaction(db, async (tx) => {
      await identity.requireStillAdmin(tx, caller);
      const made = await prepare(tx);
      // Last, so that a rejected invitation is not counted; inside the transaction, so that none exceeds the
      // limit.
      await mailLimit.take(String(caller.brandId));
      return made;
    });
    try {
      await mailer.send(prepared.mail(`${baseUrl}/invitations/${prepared.token}`));
    } catch (fault) {
      log.error({ err: fault }, 'An invitation mail could not be sent');
      await undo(caller, prepared);
      throw invitationMailNotSent();
    }
    return present(prepared.invitation);
  }

  /** Returns an empty name for an unknown person. Throws for members. */
  async function findInviteeName(tx: Tx, brandId: number, email: string): Promise<string> {
    const person = await identity.people.findByEmail(tx, email);
    if (!person) return '';
    if ((await guestStore(tx, brandId).findPerson(person.user_id))?.is_member) throw alreadyMember();
    return person.full_name;
  }

  const inviteTo = (
    caller: MemberCaller,
    { email, role }: { email: string; role: GuestLevel },
    findResource: (tx: Tx) => Promise<GuestResource & { name: string }>,
  ) =>
    invite(caller, async (tx) => {
      const { name: resourceName, ...resource } = await findResource(tx);
      const name = await findInviteeName(tx, caller.brandId, email);
      const grant = { kind: resource.kind, resource_id: resource.resourceId, role };
      const input = { email, role: 'guest' as const, invitedBy: caller.userId, grant };
      const created = await identity.invitations.create(tx, caller.brandId, input);
      if (!created) throw alreadyInvited();
      await recordAudit(tx, auditOf(caller, 'invitation.created', created.invitation.id, grant));
      const recipient = { to: email, name, workspace: caller.brandName, inviter: caller.fullName };
      const mail = (link: string) => guestInvitationMail({ ...recipient, place: resourceName, link });
      return { ...created, resource, mail };
    });

  return {
    inviteMember: (caller: MemberCaller, { email, role }: { email: string; role: MemberRole }) =>
      invite(caller, async (tx) => {
        const name = await findInviteeName(tx, caller.brandId, email);
        const input = { email, role, invitedBy: caller.userId };
        const created = await identity.invitations.create(tx, caller.brandId, input);
        if (!created) throw alreadyInvited();
        await recordAudit(tx, auditOf(caller, 'invitation.created', created.invitation.id, { role }));
        const recipient = { to: email, name, workspace: caller.brandName, inviter: caller.fullName };
        return { ...created, mail: (link) => invitationMail({ ...recipient, link }) };
      }),

    inviteGuest: (caller: MemberCaller, userId: number) =>
      invite(caller, async (tx) => {
        const person = await guestStore(tx, caller.brandId).findPerson(userId);
        if (person?.is_member) throw alreadyMember();
        if (!person?.is_guest) throw guestNotFound();
        const input = { email: person.email, invitedBy: caller.userId };
        const created = await identity.invitations.create(tx, caller.brandId, input);
        if (!created) throw alreadyInvited();
        await recordAudit(tx, auditOf(caller, 'invitation.created', created.invitation.id));
        const recipient = { to: person.email, name: person.full_name, workspace: caller.brandName };
        return { ...created, mail: (link) => invitationMail({ ...recipient, asGuest: true, link }) };
      }),

    inviteToBoard: (caller: MemberCaller, boardId: string, input: { email: string; role: GuestLevel }) =>
      inviteTo(caller, input, async (tx) => ({
        kind: 'board',
        resourceId: boardId,
        name: (await boards.holdGuestBoard(tx, caller, boardId)).name,
      })),

    inviteToSpace: (caller: MemberCaller, spaceId: string, input: { email: string; role: GuestLevel }) =>
      inviteTo(caller, input, async (tx) => {
        const space = await docsSpaceStore(tx, caller.brandId).findSpace(spaceId);
        if (!space) throw spaceNotFound();
        return { kind: 'docs', resourceId: spaceId, name: space.name };
      }),

    async listInvitations(brandId: number): Promise<{ invitations: Invitation[]; total: number }> {
      const { invitations, total } = await identity.invitations.list(brandId);
      return { invitations: invitations.map(present), total };
    },

    revokeInvitation: revoke,
  };
}
