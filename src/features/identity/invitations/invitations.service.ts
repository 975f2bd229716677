import { violatedConstraint } from '../../../database/constraints.js';
import type { Db, Tx } from '../../../database/database.js';
import type { SessionCaller } from '../../../kernel/access.js';
import { foldAccountName } from '../../../kernel/account-names.js';
import { type Clock, DAY, secondsFrom } from '../../../kernel/clock.js';
import { randomSecret, sha256Hex } from '../../../kernel/secrets.js';
import { recordAudit } from '../../../services/audit.js';
import type { WebhookOutbox } from '../../../services/webhook-outbox.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { guestAccessStore } from '../guests/guests.store.js';
import {
  fieldRequired,
  invitationForAnother,
  invitationNoLongerValid,
  signInToAccept,
} from '../identity.errors.js';
import { tellJoined } from '../joining.js';
import { membershipStore } from '../members/members.store.js';
import { hashPassword } from '../passwords/password-hash.js';
import { personStore } from '../people/people.store.js';
import {
  findInvitation,
  type InvitationRow,
  invitationStore,
  type OpenedInvitation,
} from './invitations.store.js';

export type { InvitationRow } from './invitations.store.js';

const INVITATION_LIFETIME = 7 * DAY;
/** Beyond guessing, and short enough for a line of mail. */
const INVITATION_SECRET_BYTES = 24;

interface InvitationOptions {
  db: Db;
  clock: Clock;
  changeIdentities: ChangeIdentities;
  outbox: Pick<WebhookOutbox, 'tell'>;
  setPassword: (tx: Tx, userId: number, passwordHash: string) => Promise<void>;
}

interface Newcomer {
  full_name?: string;
  password?: string;
}

export function createInvitationService(options: InvitationOptions) {
  const { db, clock, changeIdentities, outbox, setPassword } = options;

  /** Somebody without an auth account becomes a person of their own; the password is hashed before the transaction begins. */
  async function preparePerson(invitation: OpenedInvitation, { full_name, password }: Newcomer) {
    const account = await personStore(db).findAccount(invitation.email);
    if (account?.password_hash) throw signInToAccept();
    if (full_name === undefined) throw fieldRequired('full_name');
    if (password === undefined) throw fieldRequired('password');
    const passwordHash = await hashPassword(password);
    return async (tx: Tx): Promise<number> => {
      const people = personStore(tx);
      const known = await people.findAccount(invitation.email);
      if (known?.password_hash) throw signInToAccept();
      if (known) {
        await people.changeName(known.user_id, full_name);
        await setPassword(tx, known.user_id, passwordHash);
        return known.user_id;
      }
      const newcomer = { email: invitation.email, full_name, password_hash: passwordHash };
      const created = await people
        .insertPerson({ ...newcomer, kind: 'person', mail_address: null, created_at: clock.now() })
        .catch(refuseSecondAccount);
      return created.user_id;
    };
  }

  return {
    /** Undefined when one is pending for the address. Only the token's digest is kept: it is in the answer and nowhere else. */
    async create(
      tx: Tx,
      brandId: number,
      { email, invitedBy }: { email: string; invitedBy: number },
    ): Promise<{ invitation: InvitationRow; token: string } | undefined> {
      const store = invitationStore(tx, brandId);
      const token = randomSecret(INVITATION_SECRET_BYTES);
      const createdAt = clock.now();
      await store.expirePending(email, createdAt);
      const invitation = await store.insertPending({
        email,
        tokenHash: sha256Hex(token),
        invitedBy,
        createdAt,
        expiresAt: secondsFrom(createdAt, INVITATION_LIFETIME),
      });
      return invitation && { invitation, token };
    },

    list: (brandId: number) => invitationStore(db, brandId).list(clock.now()),

    /** False when there is no pending one with that id. */
    revoke: (tx: Tx, brandId: number, id: number): Promise<boolean> =>
      invitationStore(tx, brandId).revoke(id),

    async accept(token: string, person: SessionCaller | undefined, newcomer: Newcomer) {
      const invitation = await findInvitation(db, sha256Hex(token));
      if (invitation?.status !== 'pending' || invitation.expires_at <= clock.now())
        throw invitationNoLongerValid();
      if (person && foldAccountName(person.email) !== foldAccountName(invitation.email))
        throw invitationForAnother();
      const enrol = person ? async () => person.userId : await preparePerson(invitation, newcomer);
      return changeIdentities(async (tx) => {
        const now = clock.now();
        const { id, brand_id } = invitation;
        if (!(await invitationStore(tx, brand_id).consume(id, now))) throw invitationNoLongerValid();
        const userId = await enrol(tx);
        await guestAccessStore(tx, brand_id).remove(userId);
        const members = membershipStore(tx, brand_id);
        const isNew = (await members.findRole(userId)) === undefined;
        const role = await members.join(userId, invitation.role, now);
        if (isNew) await tellJoined(outbox, tx, brand_id, userId, role, now);
        await recordAudit(tx, {
          brandId: brand_id,
          actor: { kind: 'invitation', userId },
          action: 'invitation.accepted',
          subject: `invitation:${id}`,
          at: now,
        });
        return { brand_id, role };
      });
    },
  };
}

/** Somebody who accepts two invitations at once has an account when the second comes. */
function refuseSecondAccount(error: unknown): never {
  throw violatedConstraint(error) === undefined ? error : signInToAccept();
}
