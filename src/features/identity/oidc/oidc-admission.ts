import { canonicalDomain, isSameAddress } from '../../../kernel/account-names.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Tx } from '../../../platform/database/database.js';
import type { WebhookOutbox } from '../../../platform/outbox/webhook-outbox.js';
import { oidcStore } from '../credentials/oidc.store.js';
import { EMAIL_PATTERN, LONGEST_EMAIL } from '../identity.schemas.js';
import { tellJoined } from '../members/joining.js';
import { membershipStore } from '../members/members.store.js';
import type { InvitationService } from '../membership/invitations.service.js';
import { personStore } from '../people/people.store.js';
import type { OidcPerson, OidcSettings } from './oidc-provider.js';

const LONGEST_NAME = 200;
const EMAIL = new RegExp(EMAIL_PATTERN, 'u');

/** A provider may call people whatever it likes; here a name is one line. */
const singleLine = (name: string): string => name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

interface AdmissionOptions {
  clock: Clock;
  log: Log;
  outbox: Pick<WebhookOutbox, 'tell'>;
  settings: Pick<OidcSettings, 'domains' | 'autoJoin'>;
  invitations: Pick<InvitationService, 'enterInvited'>;
}

export type OidcAdmission = ReturnType<typeof createOidcAdmission>;

/** Whom the provider's word about an address makes a person here. */
export function createOidcAdmission(options: AdmissionOptions) {
  const { clock, log, outbox, settings, invitations } = options;
  const { domains, autoJoin } = settings;
  const isListed = (email: string) =>
    domains.includes(canonicalDomain(email.slice(email.lastIndexOf('@') + 1)));
  /** With domains listed, only their people join unasked; without, everybody the provider knows. */
  const mayJoinUnasked = (email: string) =>
    autoJoin !== undefined && (domains.length === 0 || isListed(email));

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

  async function joinUnasked(tx: Tx, userId: number): Promise<boolean> {
    if (!(await oidcStore(tx).workspaceExists(autoJoin!))) {
      log.error({ brand_id: autoJoin }, 'OIDC_AUTO_JOIN names a workspace that is not there');
      return false;
    }
    // Whoever was shown out comes back by an invitation only.
    if (await membershipStore(tx, autoJoin!).wasMember(userId)) return false;
    const now = clock.now();
    await membershipStore(tx, autoJoin!).join(userId, 'member', now);
    await tellJoined(outbox, tx, autoJoin!, userId, 'member', now);
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
     * The person of a verified address, whom the provider has not named before. An existing person is joined only when the domain
     * is listed; anybody else comes by an invitation or where everybody may join. Undefined: nobody's.
     */
    async admit(tx: Tx, { email, name }: OidcPerson & { email: string }): Promise<number | undefined> {
      if (email.length > LONGEST_EMAIL || !EMAIL.test(email)) return undefined;
      const account = await personStore(tx).findAccount(email);
      // An address that only reads the same is another person's, who can have no account beside this one.
      if (account && !isSameAddress(account.email, email)) return undefined;
      // Also one who never chose a password: they may belong to workspaces already. An account that is somebody's at the
      // provider stays theirs: the address may have been given to another person there.
      if (account)
        return isListed(email) && (await oidcStore(tx).holdUnlinked(account.user_id))
          ? account.user_id
          : undefined;
      let userId: number | undefined;
      const enrol = async (inner: Tx) => {
        userId ??= await createPerson(inner, { email, name });
        return userId;
      };
      if (await invitations.enterInvited(tx, email, enrol)) return userId;
      if (!mayJoinUnasked(email)) return undefined;
      return (await joinUnasked(tx, await enrol(tx))) ? userId : undefined;
    },

    /** Somebody who belongs nowhere yet takes up an invitation, or joins where everybody may. */
    async admitHomeless(tx: Tx, userId: number, email: string): Promise<boolean> {
      if (await invitations.enterInvited(tx, email, async () => userId)) return true;
      return mayJoinUnasked(email) && joinUnasked(tx, userId);
    },
  };
}
