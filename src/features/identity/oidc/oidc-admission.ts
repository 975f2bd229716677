import { canonicalDomain, isSameAddress } from '../../../kernel/addresses.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/outbox.js';
import { EMAIL_PATTERN, LONGEST_EMAIL } from '../identity.schemas.js';
import type { InvitationService } from '../members/invitations.service.js';
import { announceJoined, membershipStore } from '../people/members.store.js';
import { oidcStore, personStore } from '../people/people.store.js';
import type { OidcPerson, OidcSettings } from './oidc-provider.js';

const LONGEST_NAME = 200;
const EMAIL = new RegExp(EMAIL_PATTERN, 'u');

/** Providers can send any text as a name. */
const singleLine = (name: string): string => name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

interface AdmissionOptions {
  clock: Clock;
  log: Log;
  outbox: Pick<WebhookOutbox, 'record'>;
  settings: Pick<OidcSettings, 'domains' | 'autoJoin'>;
  invitations: Pick<InvitationService, 'enterInvited'>;
}

export type OidcAdmission = ReturnType<typeof createOidcAdmission>;

export function createOidcAdmission(options: AdmissionOptions) {
  const { clock, log, outbox, settings, invitations } = options;
  const { domains, autoJoin } = settings;
  const isListed = (email: string) =>
    domains.includes(canonicalDomain(email.slice(email.lastIndexOf('@') + 1)));
  /** If domains are listed, only their people join automatically. */
  const mayAutoJoin = (email: string) => autoJoin !== undefined && (domains.length === 0 || isListed(email));

  const createPerson = async (tx: Tx, { email, name }: { email: string; name: string | undefined }) => {
    const mailbox = email.slice(0, email.lastIndexOf('@'));
    const full_name =
      singleLine(name ?? '')
        .slice(0, LONGEST_NAME)
        .toWellFormed()
        .trim() || mailbox;
    const created = await personStore(tx).insertPerson({
      email,
      full_name,
      password_hash: null,
      kind: 'person',
      mail_address: null,
      created_at: clock.now(),
    });
    return created.user_id;
  };

  async function joinAutomatically(tx: Tx, userId: number): Promise<boolean> {
    if (!(await oidcStore(tx).workspaceExists(autoJoin!))) {
      log.error({ brand_id: autoJoin }, 'OIDC_AUTO_JOIN names a workspace that does not exist');
      return false;
    }
    // A person who was removed can return only by invitation.
    if (await membershipStore(tx, autoJoin!).wasMember(userId)) return false;
    const now = clock.now();
    await membershipStore(tx, autoJoin!).join(userId, 'member', now);
    await announceJoined(outbox, tx, autoJoin!, userId, 'member', now);
    await recordAudit(tx, {
      brandId: autoJoin!,
      actor: { kind: 'oidc', userId },
      action: 'member.joined',
      subject: `user:${userId}`,
      at: now,
    });
    return true;
  }

  return {
    /**
     * For a verified address at its first sign-in. An existing person is linked only if the domain is listed;
     * a new one needs an invitation or automatic joining. Undefined if neither applies.
     */
    async admit(tx: Tx, { email, name }: OidcPerson & { email: string }): Promise<number | undefined> {
      if (email.length > LONGEST_EMAIL || !EMAIL.test(email)) return undefined;
      const account = await personStore(tx).findAccount(email);
      // An address that differs only in equivalent characters, such as ß and ss, belongs to another person.
      if (account && !isSameAddress(account.email, email)) return undefined;
      // A linked account is never linked again: the provider may have given the address to another person.
      if (account)
        return isListed(email) && (await oidcStore(tx).lockUnlinked(account.user_id))
          ? account.user_id
          : undefined;
      let userId: number | undefined;
      const enrol = async (inner: Tx) => {
        userId ??= await createPerson(inner, { email, name });
        return userId;
      };
      if (await invitations.enterInvited(tx, email, enrol)) return userId;
      if (!mayAutoJoin(email)) return undefined;
      return (await joinAutomatically(tx, await enrol(tx))) ? userId : undefined;
    },

    async admitUnplaced(tx: Tx, userId: number, email: string): Promise<boolean> {
      if (await invitations.enterInvited(tx, email, async () => userId)) return true;
      return mayAutoJoin(email) && joinAutomatically(tx, userId);
    },
  };
}
