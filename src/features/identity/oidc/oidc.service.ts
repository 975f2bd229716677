import { type Clock, MINUTE } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { violatedConstraint } from '../../../platform/database/schema/constraints.js';
import { type SecretBox, SecretNotOpened } from '../../../platform/secrets/secret-box.js';
import type { ChangeIdentities } from '../credentials/identity-news.js';
import { oidcStore } from '../credentials/oidc.store.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { personStore } from '../people/people.store.js';
import type { Challenges } from '../sessions/challenges.service.js';
import type { OpenSession } from '../sessions/session-opener.js';
import type { SignedIn } from '../sessions/sessions.service.js';
import type { Visitor } from '../sessions/visitor.js';
import type { OidcAdmission } from './oidc-admission.js';
import { type BegunSignIn, createOidcProvider, type OidcPerson, type OidcSettings } from './oidc-provider.js';

/** Why somebody who came by the provider is not signed in, in words that the sign-in page knows. */
export type OidcFault =
  | 'oidc_unavailable'
  | 'oidc_refused'
  | 'oidc_email_not_verified'
  | 'oidc_unknown_person'
  | 'oidc_no_workspace';

export class OidcRefusal extends Error {
  constructor(readonly fault: OidcFault) {
    super(fault);
  }
}

const PLACE = 'oidc';
/** How long somebody may take at the provider. */
export const OIDC_PATIENCE_SECONDS = 10 * MINUTE;
const LONGEST_COOKIE = 2048;

interface OidcOptions {
  db: Db;
  clock: Clock;
  log: Log;
  secrets: SecretBox;
  changeIdentities: ChangeIdentities;
  challenges: Challenges;
  openSession: OpenSession;
  admission: OidcAdmission;
  settings: OidcSettings;
  redirectUri: string;
}

/** Sign-in by the word of another provider. */
export function createOidcService(options: OidcOptions) {
  const { db, clock, log, secrets, changeIdentities, challenges, openSession, admission, settings } = options;
  const provider = createOidcProvider(settings, options.redirectUri, clock);

  /** The provider's own words go to the log only, as the name of the fault. */
  const refuse =
    (fault: OidcFault) =>
    (error: unknown): never => {
      const { name, code } = error as { name?: string; code?: string };
      log.warn({ fault, name, code }, 'A sign-in by the provider came to nothing');
      throw new OidcRefusal(fault);
    };

  function readBegun(cookie: string | undefined): BegunSignIn | undefined {
    if (!cookie || cookie.length > LONGEST_COOKIE) return undefined;
    try {
      const { at, ...begun } = JSON.parse(secrets.open(cookie, PLACE)) as BegunSignIn & { at: number };
      return clock.now().getTime() - at <= OIDC_PATIENCE_SECONDS * 1000 ? begun : undefined;
    } catch (error) {
      if (error instanceof SecretNotOpened) return undefined;
      throw error;
    }
  }

  const recordLinked = (tx: Tx, userId: number, visitor: Visitor) =>
    recordAudit(tx, {
      brandId: null,
      actor: { kind: 'oidc', userId },
      action: 'oidc.linked',
      subject: `user:${userId}`,
      at: clock.now(),
      address: visitor.address,
    });

  /** The person is found by who they are at the provider; the first time, by an address that it has verified. */
  async function findOrAdmit(tx: Tx, person: OidcPerson & { email: string }, visitor: Visitor) {
    const { issuer, subject } = person;
    const linked = await oidcStore(tx).findPerson(issuer, subject);
    if (linked) return linked;
    const userId = await admission.admit(tx, person);
    if (userId === undefined) {
      // They may have been linked meanwhile, by another tab of theirs.
      const meanwhile = await oidcStore(tx).findPerson(issuer, subject);
      if (meanwhile) return meanwhile;
      throw new OidcRefusal('oidc_unknown_person');
    }
    await oidcStore(tx).link(issuer, subject, userId, clock.now());
    await recordLinked(tx, userId, visitor);
    return (await oidcStore(tx).findPerson(issuer, subject))!;
  }

  async function enter(person: OidcPerson & { email: string }, visitor: Visitor) {
    return changeIdentities(async (tx) => {
      const account = await findOrAdmit(tx, person, visitor);
      const findWorkplace = () => sessionStore(tx).findWorkplace(account.user_id, undefined);
      const workplace =
        (await findWorkplace()) ??
        ((await admission.admitHomeless(tx, account.user_id, account.email))
          ? await findWorkplace()
          : undefined);
      if (!workplace) throw new OidcRefusal('oidc_no_workspace');
      return { account, workplace };
    });
  }

  /** An invitation that has just ended, or the same person coming twice at once: trying again helps. */
  const refuseContested = (error: unknown): never => {
    if (error instanceof ApiError || violatedConstraint(error) !== undefined) refuse('oidc_refused')(error);
    throw error;
  };

  return {
    /** Where to send the person, and what their browser keeps meanwhile. */
    async begin(): Promise<{ url: string; cookie: string }> {
      const { url, ...begun } = await provider.begin().catch(refuse('oidc_unavailable'));
      return { url, cookie: secrets.seal(JSON.stringify({ ...begun, at: clock.now().getTime() }), PLACE) };
    },

    /** A person with a second factor is asked for it here too: whoever set it up wants it asked. */
    async finish(
      query: Record<string, string>,
      cookie: string | undefined,
      visitor: Visitor,
    ): Promise<SignedIn> {
      const begun = readBegun(cookie);
      if (!begun) throw new OidcRefusal('oidc_refused');
      const person = await provider.finish(query, begun).catch(refuse('oidc_refused'));
      const { email, emailVerified } = person;
      if (!email || !emailVerified) throw new OidcRefusal('oidc_email_not_verified');
      const { account, workplace } = await enter({ ...person, email }, visitor).catch(refuseContested);
      const userId = account.user_id;
      return inTransaction(db, async (tx) => {
        await personStore(tx).hold(userId);
        const challenge = await challenges.askIfSet(tx, userId, workplace.brand_id, true);
        if (challenge !== undefined) return { challenge };
        const secret = await openSession(tx, { userId, workplace, visitor, by: 'oidc' });
        return { account, workplace, secret };
      });
    },
  };
}
