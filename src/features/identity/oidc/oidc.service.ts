import { MINUTE } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { violatedConstraint } from '../../../platform/database/connection/database-errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { SecretNotOpened } from '../../../platform/secrets/secret-box.js';
import { sessionStore } from '../credentials/sessions.store.js';
import { oidcStore, personStore } from '../people/people.store.js';
import type { Challenges } from '../sessions/challenges.service.js';
import type { SignInContext } from '../sessions/session-opener.js';
import type { SignedIn } from '../sessions/sessions.service.js';
import type { ClientInfo } from '../sessions/sign-in-cookies.js';
import type { OidcAdmission } from './oidc-admission.js';
import {
  createOidcProvider,
  type OidcPerson,
  type OidcSettings,
  type StartedSignIn,
} from './oidc-provider.js';

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

const SEAL_NAME = 'oidc';
export const OIDC_LIFETIME_SECONDS = 10 * MINUTE;
const LONGEST_COOKIE = 2048;

interface OidcOptions extends SignInContext {
  log: Log;
  challenges: Challenges;
  admission: OidcAdmission;
  settings: OidcSettings;
  redirectUri: string;
}

export function createOidcService(options: OidcOptions) {
  const { db, clock, log, secrets, changeIdentities, challenges, openSession, admission, settings } = options;
  const provider = createOidcProvider(settings, options.redirectUri, clock);

  /** Only the name and code of the provider's error are logged. */
  const refuse =
    (fault: OidcFault) =>
    (error: unknown): never => {
      const { name, code } = error as { name?: string; code?: string };
      log.warn({ fault, name, code }, 'A sign-in at the OIDC provider failed');
      throw new OidcRefusal(fault);
    };

  function readStarted(cookie: string | undefined): StartedSignIn | undefined {
    if (!cookie || cookie.length > LONGEST_COOKIE) return undefined;
    try {
      const { at, ...started } = JSON.parse(secrets.open(cookie, SEAL_NAME)) as StartedSignIn & {
        at: number;
      };
      return clock.now().getTime() - at <= OIDC_LIFETIME_SECONDS * 1000 ? started : undefined;
    } catch (error) {
      if (error instanceof SecretNotOpened) return undefined;
      throw error;
    }
  }

  const recordLinked = (tx: Tx, userId: number, client: ClientInfo) =>
    recordAudit(tx, {
      brandId: null,
      actor: { kind: 'oidc', userId },
      action: 'oidc.linked',
      subject: `user:${userId}`,
      at: clock.now(),
      address: client.address,
    });

  async function findOrAdmit(tx: Tx, person: OidcPerson & { email: string }, client: ClientInfo) {
    const { issuer, subject } = person;
    const linked = await oidcStore(tx).findPerson(issuer, subject);
    if (linked) return linked;
    const userId = await admission.admit(tx, person);
    if (userId === undefined) {
      // Another browser tab may have linked them meanwhile.
      const linkedNow = await oidcStore(tx).findPerson(issuer, subject);
      if (linkedNow) return linkedNow;
      throw new OidcRefusal('oidc_unknown_person');
    }
    await oidcStore(tx).link(issuer, subject, userId, clock.now());
    await recordLinked(tx, userId, client);
    return (await oidcStore(tx).findPerson(issuer, subject))!;
  }

  async function enter(person: OidcPerson & { email: string }, client: ClientInfo) {
    return changeIdentities(async (tx) => {
      const account = await findOrAdmit(tx, person, client);
      const findWorkspace = () => sessionStore(tx).findWorkspace(account.user_id, undefined);
      const workspace =
        (await findWorkspace()) ??
        ((await admission.admitUnplaced(tx, account.user_id, account.email))
          ? await findWorkspace()
          : undefined);
      if (!workspace) throw new OidcRefusal('oidc_no_workspace');
      return { account, workspace };
    });
  }

  /** An invitation has just ended, or the same person signs in twice at once: a retry helps. */
  const refuseContested = (error: unknown): never => {
    if (error instanceof ApiError || violatedConstraint(error) !== undefined) refuse('oidc_refused')(error);
    throw error;
  };

  return {
    async begin(): Promise<{ url: string; cookie: string }> {
      const { url, ...started } = await provider.begin().catch(refuse('oidc_unavailable'));
      return {
        url,
        cookie: secrets.seal(JSON.stringify({ ...started, at: clock.now().getTime() }), SEAL_NAME),
      };
    },

    async finish(
      query: Record<string, string>,
      cookie: string | undefined,
      client: ClientInfo,
    ): Promise<SignedIn> {
      const started = readStarted(cookie);
      if (!started) throw new OidcRefusal('oidc_refused');
      const person = await provider.finish(query, started).catch(refuse('oidc_refused'));
      const { email, emailVerified } = person;
      if (!email || !emailVerified) throw new OidcRefusal('oidc_email_not_verified');
      const { account, workspace } = await enter({ ...person, email }, client).catch(refuseContested);
      const userId = account.user_id;
      return inTransaction(db, async (tx) => {
        await personStore(tx).lock(userId);
        const challenge = await challenges.createIfNeeded(tx, userId, workspace.brand_id, true);
        if (challenge !== undefined) return { challenge };
        const secret = await openSession(tx, { userId, workspace, client, by: 'oidc' });
        return { account, workspace, secret };
      });
    },
  };
}
