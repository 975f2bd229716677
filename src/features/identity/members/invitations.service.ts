import type { Role, SessionCaller } from '../../../kernel/access.js';
import { isSameAddress } from '../../../kernel/addresses.js';
import { DAY, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { violatedConstraint } from '../../../platform/database/connection/database-errors.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/outbox.js';
import type { IdentityContext } from '../credentials/identity-changes.js';
import {
  addressTaken,
  fieldRequired,
  invitationForAnother,
  invitationNoLongerValid,
  signInToAccept,
} from '../identity.errors.js';
import {
  findInvitation,
  findPendingInvitation,
  type Grant,
  type InvitationRow,
  invitationStore,
  type OpenedInvitation,
} from '../people/invitations.store.js';
import {
  announceJoined,
  type GuestResource,
  guestAccessStore,
  membershipStore,
} from '../people/members.store.js';
import { hashNewPassword } from '../people/password-hash.js';
import { hasAuthAccount, personStore } from '../people/people.store.js';

export interface Newcomer {
  full_name?: string;
  password?: string;
}

const INVITATION_LIFETIME = 7 * DAY;
/** Short enough for one line of a plain text mail. */
const INVITATION_SECRET_BYTES = 24;

interface InvitationOptions extends IdentityContext {
  outbox: Pick<WebhookOutbox, 'record'>;
  setPassword: (tx: Tx, userId: number, passwordHash: string) => Promise<void>;
}

interface InvitationInput {
  email: string;
  invitedBy: number;
  role?: Role;
  /** For a guest. Further grants are added to a pending invitation. */
  grant?: Grant;
}

export type InvitationService = ReturnType<typeof createInvitationService>;

export function createInvitationService(options: InvitationOptions) {
  const { db, clock, changeIdentities, outbox, setPassword, requireStillSignedIn } = options;

  async function findNewcomer(inside: Db | Tx, email: string) {
    const account = await personStore(inside).findAccount(email);
    if (account && !isSameAddress(account.email, email)) throw addressTaken();
    if (hasAuthAccount(account)) throw signInToAccept();
    return account;
  }

  /** Hashes the password before the transaction in which the returned function creates the person. */
  async function prepareNewcomer(email: string, { full_name, password }: Newcomer) {
    await findNewcomer(db, email);
    if (full_name === undefined) throw fieldRequired('full_name');
    if (password === undefined) throw fieldRequired('password');
    const passwordHash = await hashNewPassword(password, { email, full_name });
    return async (tx: Tx): Promise<number> => {
      const people = personStore(tx);
      const known = await findNewcomer(tx, email);
      if (known) {
        await people.changeName(known.user_id, full_name);
        await setPassword(tx, known.user_id, passwordHash);
        return known.user_id;
      }
      const created = await people
        .insertPerson({
          email,
          full_name,
          password_hash: passwordHash,
          kind: 'person',
          mail_address: null,
          created_at: clock.now(),
        })
        .catch(refuseSecondAccount);
      return created.user_id;
    };
  }

  async function findOpen(token: string) {
    const invitation = await findInvitation(db, sha256Hex(token));
    if (invitation?.status !== 'pending' || invitation.expires_at <= clock.now())
      throw invitationNoLongerValid();
    return invitation;
  }

  /** A member stays a member. Other people become guests of the granted resources that still exist. */
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
    if (isNew) await announceJoined(outbox, tx, brandId, userId, joined, now);
    return joined;
  }

  async function enter(
    tx: Tx,
    { id, brand_id, role: invitedAs }: Pick<OpenedInvitation, 'id' | 'brand_id' | 'role'>,
    enrol: (tx: Tx) => Promise<number>,
  ) {
    const now = clock.now();
    if (!(await invitationStore(tx, brand_id).consume(id, now))) throw invitationNoLongerValid();
    const userId = await enrol(tx);
    const role =
      invitedAs === 'guest'
        ? await enterAsGuest(tx, brand_id, id, userId)
        : await enterAsMember(tx, brand_id, userId, invitedAs);
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
    /** Undefined if an invitation is pending for the address. Only the token's digest is stored. */
    async create(
      tx: Tx,
      brandId: number,
      { email, invitedBy, role = 'member', grant }: InvitationInput,
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

    revoke: (tx: Tx, brandId: number, id: number): Promise<boolean> =>
      invitationStore(tx, brandId).revoke(id),

    /** Removes one resource from an invitation, and revokes an invitation that then grants nothing. */
    dropGrant: (tx: Tx, brandId: number, id: number, resource: GuestResource): Promise<void> =>
      invitationStore(tx, brandId).dropGrants(resource, { invitationId: id }),

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
      const enrolSignedIn = async (tx: Tx, signedIn: SessionCaller) => {
        await personStore(tx).lock(signedIn.userId);
        await requireStillSignedIn(tx, signedIn);
        return signedIn.userId;
      };
      const enrol = person
        ? (tx: Tx) => enrolSignedIn(tx, person)
        : await prepareNewcomer(invitation.email, newcomer);
      return changeIdentities((tx) => enter(tx, invitation, enrol));
    },

    /** For a person whose provider has verified the invited address; false if nothing is pending for it. */
    async enterInvited(tx: Tx, email: string, enrol: (tx: Tx) => Promise<number>): Promise<boolean> {
      const invitation = await findPendingInvitation(tx, email, clock.now());
      if (invitation) await changeIdentities((inner) => enter(inner, invitation, enrol), tx);
      return invitation !== undefined;
    },
  };
}

/** A person who accepts two invitations at once already has an account at the second one. */
function refuseSecondAccount(error: unknown): never {
  throw violatedConstraint(error) === undefined ? error : signInToAccept();
}
