import type { Role, SessionCaller } from '../../../kernel/access.js';
import { isSameAddress } from '../../../kernel/account-names.js';
import { type Clock, DAY, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import type { StillAllowed } from '../credentials/still-allowed.js';
import { invitationForAnother, invitationNoLongerValid } from '../identity.errors.js';
import { type GuestPlace, guestAccessStore } from '../members/guests.store.js';
import {
  findInvitation,
  findPendingInvitation,
  type Grant,
  type InvitationRow,
  invitationStore,
  type OpenedInvitation,
} from '../members/invitations.store.js';
import { tellJoined } from '../members/joining.js';
import { membershipStore } from '../members/members.store.js';
import { createNewcomers, type Newcomer } from '../members/newcomers.js';
import { hasAuthAccount, personStore } from '../people/people.store.js';

export type { InvitationRow } from '../members/invitations.store.js';

const INVITATION_LIFETIME = 7 * DAY;
/** Beyond guessing, and short enough for a line of mail. */
const INVITATION_SECRET_BYTES = 24;

interface InvitationOptions {
  db: Db;
  clock: Clock;
  changeIdentities: ChangeIdentities;
  outbox: Pick<WebhookOutbox, 'tell'>;
  setPassword: (tx: Tx, userId: number, passwordHash: string) => Promise<void>;
  requireStillSignedIn: StillAllowed['requireStillSignedIn'];
}

interface Wish {
  email: string;
  invitedBy: number;
  role?: Role;
  /** What a guest is invited to; further ones join the invitation that is pending. */
  grant?: Grant;
}

export type InvitationService = ReturnType<typeof createInvitationService>;

export function createInvitationService(options: InvitationOptions) {
  const { db, clock, changeIdentities, outbox, setPassword, requireStillSignedIn } = options;
  const preparePerson = createNewcomers({ db, clock, setPassword });

  async function findOpen(token: string) {
    const invitation = await findInvitation(db, sha256Hex(token));
    if (invitation?.status !== 'pending' || invitation.expires_at <= clock.now())
      throw invitationNoLongerValid();
    return invitation;
  }

  /** A member stays one; anybody else becomes a guest of what is still there of what they were invited to. */
  async function enterAsGuest(tx: Tx, brandId: number, id: number, userId: number): Promise<Role> {
    const grants = await invitationStore(tx, brandId).takeGrants(id);
    if (grants.length === 0) throw invitationNoLongerValid();
    const role = await membershipStore(tx, brandId).findRole(userId);
    if (role) return role;
    const store = guestAccessStore(tx, brandId);
    for (const { kind, resource_id: resourceId, role: level } of grants)
      await store.save({ kind, resourceId }, userId, level, clock.now());
    return 'guest';
  }

  async function enterAsMember(tx: Tx, brandId: number, userId: number, role: 'admin' | 'member') {
    const now = clock.now();
    await guestAccessStore(tx, brandId).remove(userId);
    const members = membershipStore(tx, brandId);
    const isNew = (await members.findRole(userId)) === undefined;
    const joined = await members.join(userId, role, now);
    if (isNew) await tellJoined(outbox, tx, brandId, userId, joined, now);
    return joined;
  }

  async function enter(
    tx: Tx,
    { id, brand_id, role: wished }: Pick<OpenedInvitation, 'id' | 'brand_id' | 'role'>,
    enrol: (tx: Tx) => Promise<number>,
  ) {
    const now = clock.now();
    if (!(await invitationStore(tx, brand_id).consume(id, now))) throw invitationNoLongerValid();
    const userId = await enrol(tx);
    const role =
      wished === 'guest'
        ? await enterAsGuest(tx, brand_id, id, userId)
        : await enterAsMember(tx, brand_id, userId, wished);
    await recordAudit(tx, {
      brandId: brand_id,
      actor: { kind: 'invitation', userId },
      action: 'invitation.accepted',
      subject: `invitation:${id}`,
      at: now,
    });
    return { brand_id, role };
  }

  return {
    /** Undefined when one is pending for the address. Only the token's digest is kept: it is in the answer and nowhere else. */
    async create(
      tx: Tx,
      brandId: number,
      { email, invitedBy, role = 'member', grant }: Wish,
    ): Promise<{ invitation: InvitationRow; token: string } | undefined> {
      const store = invitationStore(tx, brandId);
      const token = randomSecret(INVITATION_SECRET_BYTES);
      const tokenHash = sha256Hex(token);
      const createdAt = clock.now();
      const expiresAt = secondsFrom(createdAt, INVITATION_LIFETIME);
      await store.expirePending(email, createdAt);
      const made = await store.insertPending({ email, role, tokenHash, invitedBy, createdAt, expiresAt });
      const invitation = made ?? (grant && (await store.prolongGuest(email, expiresAt)));
      if (!invitation) return undefined;
      if (grant && !(await store.addGrant(invitation.id, grant, made ? null : tokenHash, createdAt)))
        return undefined;
      return { invitation, token };
    },

    list: (brandId: number) => invitationStore(db, brandId).list(clock.now()),

    /** False when there is no pending one with that id. */
    revoke: (tx: Tx, brandId: number, id: number): Promise<boolean> =>
      invitationStore(tx, brandId).revoke(id),

    /** Takes one place out of an invitation; one that grants nothing any more ends. */
    dropGrant: (tx: Tx, brandId: number, id: number, place: GuestPlace): Promise<void> =>
      invitationStore(tx, brandId).dropGrants(place, { invitationId: id }),

    /** What somebody who holds a link is about to accept. */
    async describe(token: string) {
      const { brand_name, inviter_name, email, role } = await findOpen(token);
      const account = await personStore(db).findByAddress(email);
      return {
        brand: { name: brand_name },
        inviter: { name: inviter_name },
        email,
        role,
        new_person: !hasAuthAccount(account),
      };
    },

    async accept(token: string, person: SessionCaller | undefined, newcomer: Newcomer) {
      const invitation = await findOpen(token);
      if (person && !isSameAddress(person.email, invitation.email)) throw invitationForAnother();
      const comeIn = async (tx: Tx, signedIn: SessionCaller) => {
        await personStore(tx).hold(signedIn.userId);
        await requireStillSignedIn(tx, signedIn);
        return signedIn.userId;
      };
      const enrol = person ? (tx: Tx) => comeIn(tx, person) : await preparePerson(invitation.email, newcomer);
      return changeIdentities((tx) => enter(tx, invitation, enrol));
    },

    /** For somebody whose provider vouches for the invited address; false when nothing is pending for it. */
    async enterInvited(tx: Tx, email: string, enrol: (tx: Tx) => Promise<number>): Promise<boolean> {
      const invitation = await findPendingInvitation(tx, email, clock.now());
      if (invitation) await changeIdentities((inner) => enter(inner, invitation, enrol), tx);
      return invitation !== undefined;
    },
  };
}
