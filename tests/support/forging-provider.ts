import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const CLIENT = { id: 'guildhall', secret: 'a-secret-of-the-client' };
const KEY_ID = 'the-key-of-the-provider';

export type Signing = 'own key' | 'foreign key' | 'foreign key without its id' | 'none' | 'client secret';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const newKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

function sign(payload: object, signing: Signing, keys: { own: KeyObject; foreign: KeyObject }): string {
  const rs256 = (key: KeyObject, header: object) => {
    const text = `${encode({ alg: 'RS256', ...header })}.${encode(payload)}`;
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`;
  };
  if (signing === 'own key') return rs256(keys.own, { kid: KEY_ID });
  if (signing === 'foreign key') return rs256(keys.foreign, { kid: KEY_ID });
  if (signing === 'foreign key without its id') return rs256(keys.foreign, {});
  if (signing === 'none') return `${encode({ alg: 'none' })}.${encode(payload)}.`;
  const text = `${encode({ alg: 'HS256' })}.${encode(payload)}`;
  return `${text}.${createHmac('sha256', CLIENT.secret).update(text).digest('base64url')}`;
}

/**
 * A fake provider that does everything like a real one except for the signature of its tokens. It declares
 * every algorithm, so that no token is refused because of its algorithm alone.
 */
export async function startForgingProvider(redirectUri: string) {
  const [own, foreign] = [newKey(), newKey()];
  const next: { signing: Signing; claims: object; nonce: string | null } = {
    signing: 'own key',
    claims: {},
    nonce: null,
  };
  let issuer = '';
  const documents: Record<string, () => object> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
      code_challenge_methods_supported: ['S256'],
    }),
    '/keys': () => ({
      keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: KEY_ID, use: 'sig', alg: 'RS256' }],
    }),
    '/token': () => {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: issuer, aud: CLIENT.id, iat: now, exp: now + 300, nonce: next.nonce };
      const keys = { own: own.privateKey, foreign: foreign.privateKey };
      return {
        access_token: 'an-access-token',
        token_type: 'Bearer',
        expires_in: 300,
        id_token: sign({ ...payload, ...next.claims }, next.signing, keys),
      };
    },
  };
  const server = createServer((request, response) => {
    const document = documents[new URL(request.url!, issuer).pathname];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    request.resume().on('end', () => response.end(JSON.stringify(document?.() ?? {})));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },

    /** Takes the service's redirect to the provider, and returns the provider's redirect back. */
    visit(address: string, claims: object, signing: Signing): URL {
      const asked = new URL(address).searchParams;
      Object.assign(next, { signing, claims, nonce: asked.get('nonce') });
      return new URL(`${redirectUri}?${new URLSearchParams({ code: 'a-code', state: asked.get('state')! })}`);
    },

    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
