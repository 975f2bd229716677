import type { Configuration } from 'openid-client';
import { type Clock, HOUR } from '../../../kernel/clock.js';

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string | undefined;
  /** Existing people with a verified address in one of these domains are linked. */
  domains: string[];
  /** The brand_id of the workspace that new people join without an invitation. */
  autoJoin: number | undefined;
}

/** Must match when the browser returns from the provider. */
export interface StartedSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

export interface OidcPerson {
  issuer: string;
  subject: string;
  email: string | undefined;
  emailVerified: boolean;
  name: string | undefined;
}

const TIMEOUT_SECONDS = 10;
const SCOPES = 'openid email profile';
/** The library refreshes the provider's keys itself. */
const CONFIGURATION_LIFETIME_MS = HOUR * 1000;

/** The authorization code flow with PKCE, state and nonce. The provider is contacted at the first sign-in. */
export function createOidcProvider(settings: OidcSettings, redirectUri: string, clock: Clock) {
  let cached: { configuration: Promise<Configuration>; at: number } | undefined;

  const library = () => import('openid-client');

  async function discover(): Promise<Configuration> {
    const { discovery, allowInsecureRequests, enableNonRepudiationChecks } = await library();
    const { issuer, clientId, clientSecret } = settings;
    // Without it the library accepts any signature from the token endpoint.
    const execute = [enableNonRepudiationChecks];
    // The configuration allows plain http only on loopback.
    if (issuer.startsWith('http:')) execute.push(allowInsecureRequests);
    return discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: TIMEOUT_SECONDS,
      execute,
    });
  }

  function configure(): Promise<Configuration> {
    const now = clock.now().getTime();
    if (!cached || now - cached.at > CONFIGURATION_LIFETIME_MS) {
      const configuration = discover();
      cached = { configuration, at: now };
      configuration.catch(() => {
        cached = undefined;
      });
    }
    return cached.configuration;
  }

  return {
    async begin(): Promise<StartedSignIn & { url: string }> {
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

    async finish(query: Record<string, string>, started: StartedSignIn): Promise<OidcPerson> {
      const client = await library();
      const configuration = await configure();
      const returned = new URL(redirectUri);
      for (const [name, value] of Object.entries(query)) returned.searchParams.set(name, value);
      const tokens = await client.authorizationCodeGrant(configuration, returned, {
        pkceCodeVerifier: started.verifier,
        expectedState: started.state,
        expectedNonce: started.nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims()!;
      // Many providers omit the address from the token.
      const profile =
        claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims;
      const text = (value: unknown) => (typeof value === 'string' && value.trim() ? value.trim() : undefined);
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: text(profile['email']),
        emailVerified: profile['email_verified'] === true,
        name: text(profile['name']),
      };
    },
  };
}
