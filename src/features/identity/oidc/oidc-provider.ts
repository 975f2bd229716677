import type { Configuration } from 'openid-client';
import { type Clock, HOUR } from '../../../kernel/clock.js';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** Whose existing people the provider's word about an address is enough for. */
  domains: string[];
  /** The workspace that everybody the provider knows may join. */
  autoJoin: number | undefined;
}

/** What has to be the same when the person comes back. */
export interface BegunSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** What the provider says of a person. */
export interface OidcPerson {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  name: string | undefined;
}

const PATIENCE_SECONDS = 10;
const SCOPES = 'openid email profile';
/** The provider's own description is asked for again after a while; its keys are looked after by the library. */
const KNOWN_FOR_MS = HOUR * 1000;

/** The outside half of a sign-in: authorization code flow with PKCE, state and nonce. Nothing is asked before somebody signs in. */
export function createOidcProvider(settings: OidcSettings, redirectUri: string, clock: Clock) {
  let known: { configuration: Promise<Configuration>; at: number } | undefined;

  const library = () => import('openid-client');

  async function discover(): Promise<Configuration> {
    const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = await library();
    const { issuer, clientId, clientSecret } = settings;
    // Without it the library takes any signature from the token endpoint. Algorithms without a public key are refused with it.
    const execute = [enableNonRepudiationChecks];
    // The configuration lets plain http through on this machine only.
    if (issuer.startsWith('http:')) execute.push(allowInsecureRequests);
    return discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: PATIENCE_SECONDS,
      execute,
    });
  }

  function configure(): Promise<Configuration> {
    const now = clock.now().getTime();
    if (!known || now - known.at > KNOWN_FOR_MS) {
      const configuration = discover();
      known = { configuration, at: now };
      configuration.catch(() => {
        known = undefined;
      });
    }
    return known.configuration;
  }

  return {
    async begin(): Promise<BegunSignIn & { url: string }> {
      const client = await library();
      const configuration = await configure();
      const verifier = client.randomPKCECodeVerifier();
      const state = client.randomState();
      const nonce = client.randomNonce();
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: SCOPES,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      return { url: url.href, state, nonce, verifier };
    },

    /** Throws whatever is wrong with what came back. */
    async finish(query: Record<string, string>, begun: BegunSignIn): Promise<OidcPerson> {
      const client = await library();
      const configuration = await configure();
      const returned = new URL(redirectUri);
      for (const [name, value] of Object.entries(query)) returned.searchParams.set(name, value);
      const tokens = await client.authorizationCodeGrant(configuration, returned, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Many providers keep the address out of the token.
      const told =
        claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      const text = (value: unknown) => (typeof value === 'string' && value.trim() ? value.trim() : undefined);
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: text(told['email']),
        emailVerified: told['email_verified'] === true,
        name: text(told['name']),
      };
    },
  };
}
