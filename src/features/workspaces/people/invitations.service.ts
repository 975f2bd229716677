import type { GuestLevel, MemberCaller, MemberRole } from '../../../kernel/access.js';
import { type Clock, HOUR } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { type AuditEntry, recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { RateLimits } from '../../../platform/limits/rate-limits.js';
import type { Letter, Mailer } from '../../../platform/mail/mail-out.js';
import type { GuestPlace, IdentityService, InvitationRow } from '../../identity/index.js';
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
import type { GuestBoards } from './guest-boards.js';
import type { Invitation } from './guests.schemas.js';
import { guestStore } from './guests.store.js';
import { guestInvitationLetter, invitationLetter } from './letters.js';

export type InvitationService = ReturnType<typeof createInvitationService>;

/** Each one is a letter to whomever the admin names, so a workspace cannot send any number of them. */
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

interface Prepared {
  invitation: InvitationRow;
  token: string;
  letter: (link: string) => Letter;
  /** What this letter is about, when it is one place of several. */
  place?: GuestPlace;
}

const present = (row: InvitationRow): Invitation => ({
  ...row,
  expires_at: row.expires_at.toISOString(),
  created_at: row.created_at.toISOString(),
});

export function createInvitationService(options: InvitationOptions) {
  const { db, clock, log, mailer, baseUrl, boards, identity } = options;
  const letters = options.rateLimits.limiter('invitations', {
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

  /** Nobody has the link, so the invitation would only stand in the way of the next attempt. */
  async function takeBack(caller: MemberCaller, { invitation, place }: Prepared): Promise<void> {
    if (!place) return revoke(caller, invitation.id);
    await inTransaction(db, async (tx) => {
      await identity.invitations.dropGrant(tx, caller.brandId, invitation.id, place);
      await recordAudit(tx, auditOf(caller, 'invitation.revoked', invitation.id));
    });
  }

  /** The token is in the mail and nowhere else. */
  async function invite(caller: MemberCaller, prepare: (tx: Tx) => Promise<Prepared>): Promise<Invitation> {
    const prepared = await inTransaction(db, async (tx) => {
      await identity.requireStillAdmin(tx, caller);
      const made = await prepare(tx);
      // Last of all, so that a refused invitation is not counted; and in here, so that none beyond the limit stays.
      await letters.take(String(caller.brandId));
      return made;
    });
    try {
      await mailer.send(prepared.letter(`${baseUrl}/invitations/${prepared.token}`));
    } catch (fault) {
      log.error({ err: fault }, 'An invitation mail could not be sent');
      await takeBack(caller, prepared);
      throw invitationMailNotSent();
    }
    return present(prepared.invitation);
  }

  /** The name for the letter, if the person has one; members are refused. */
  async function greet(tx: Tx, brandId: number, email: string): Promise<string> {
    const person = await identity.people.findByEmail(tx, email);
    if (!person) return '';
    if ((await guestStore(tx, brandId).findPerson(person.user_id))?.is_member) throw alreadyMember();
    return person.full_name;
  }

  /** Opens a place to whoever holds the address, once they have accepted. */
  const inviteTo = (
    caller: MemberCaller,
    { email, role }: { email: string; role: GuestLevel },
    findPlace: (tx: Tx) => Promise<GuestPlace & { name: string }>,
  ) =>
    invite(caller, async (tx) => {
      const { name: placeName, ...place } = await findPlace(tx);
      const name = await greet(tx, caller.brandId, email);
      const grant = { kind: place.kind, resource_id: place.resourceId, role };
      const wish = { email, role: 'guest' as const, invitedBy: caller.userId, grant };
      const created = await identity.invitations.create(tx, caller.brandId, wish);
      if (!created) throw alreadyInvited();
      await recordAudit(tx, auditOf(caller, 'invitation.created', created.invitation.id, grant));
      const occasion = { to: email, name, workspace: caller.brandName, inviter: caller.fullName };
      const letter = (link: string) => guestInvitationLetter({ ...occasion, place: placeName, link });
      return { ...created, place, letter };
    });

  return {
    inviteMember: (caller: MemberCaller, { email, role }: { email: string; role: MemberRole }) =>
      invite(caller, async (tx) => {
        const name = await greet(tx, caller.brandId, email);
        const wish = { email, role, invitedBy: caller.userId };
        const created = await identity.invitations.create(tx, caller.brandId, wish);
        if (!created) throw alreadyInvited();
        await recordAudit(tx, auditOf(caller, 'invitation.created', created.invitation.id, { role }));
        const occasion = { to: email, name, workspace: caller.brandName, inviter: caller.fullName };
        return { ...created, letter: (link) => invitationLetter({ ...occasion, link }) };
      }),

    inviteGuest: (caller: MemberCaller, userId: number) =>
      invite(caller, async (tx) => {
        const person = await guestStore(tx, caller.brandId).findPerson(userId);
        if (person?.is_member) throw alreadyMember();
        if (!person?.is_guest) throw guestNotFound();
        const wish = { email: person.email, invitedBy: caller.userId };
        const created = await identity.invitations.create(tx, caller.brandId, wish);
        if (!created) throw alreadyInvited();
        await recordAudit(tx, auditOf(caller, 'invitation.created', created.invitation.id));
        const occasion = { to: person.email, name: person.full_name, workspace: caller.brandName };
        return { ...created, letter: (link) => invitationLetter({ ...occasion, asGuest: true, link }) };
      }),

    inviteToBoard: (caller: MemberCaller, boardId: string, wish: { email: string; role: GuestLevel }) =>
      inviteTo(caller, wish, async (tx) => ({
        kind: 'board',
        resourceId: boardId,
        name: (await boards.holdGuestBoard(tx, caller, boardId)).name,
      })),

    inviteToSpace: (caller: MemberCaller, spaceId: string, wish: { email: string; role: GuestLevel }) =>
      inviteTo(caller, wish, async (tx) => {
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
