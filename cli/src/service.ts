import { Guildhall, GuildhallError } from '../../client/src/index.js';
import type { Access } from './config.js';
import { broken, signedOut } from './failure.js';

interface RequestOptions {
  body?: string | undefined;
  signal: AbortSignal;
}

export interface Service {
  url: string;
  client: Guildhall;
  /** For what is open to people only, and not to tokens. */
  people(): Guildhall;
  /** For what the operator's key opens. */
  operator(): Guildhall;
  brandId(): Promise<number>;
  request(method: string, path: string, options: RequestOptions): Promise<Response>;
}

const ADMIN_KEY = 'GUILDHALL_ADMIN_KEY';

/** The one place that knows how a context becomes calls. */
export function openService(access: Access, env: Record<string, string | undefined>): Service {
  const { url, token, session } = access;
  const adminKey = env[ADMIN_KEY] || undefined;
  const asSession = () => new Guildhall({ url, adminKey, fetch: withCookie(session!) });
  const client = session && !token ? asSession() : new Guildhall({ url, token, adminKey });
  let brandId = access.brandId;

  return {
    url,
    client,

    people() {
      if (session) return asSession();
      throw signedOut(
        'This is open to people and not to tokens',
        'Sign in as yourself with: guildhall login --email you@example.com',
      );
    },

    operator() {
      if (adminKey) return new Guildhall({ url, adminKey });
      throw signedOut("This takes the operator's key", `Put it into the environment as ${ADMIN_KEY}.`);
    },

    async brandId() {
      brandId ??= (await client.getCredential()).brand_id;
      return brandId;
    },

    async request(method, path, { body, signal }) {
      const headers = new Headers({ accept: 'application/json, */*;q=0.5' });
      if (path.startsWith('/api/v1/admin/') && adminKey) headers.set('x-admin-key', adminKey);
      else if (token) headers.set('authorization', `Bearer ${token}`);
      else if (session) headers.set('cookie', session);
      if (body !== undefined) headers.set('content-type', 'application/json');
      // The address begins with the server's own, whatever the path says.
      const target = new URL(`${url}${path}`);
      if (target.origin !== new URL(url).origin) throw broken(`${path} is not a path of ${url}`);
      const init: RequestInit = { method, headers, redirect: 'manual', signal };
      return fetch(target, { ...init, ...(body !== undefined && { body }) }).catch((cause) => {
        signal.throwIfAborted();
        const detail = 'The service cannot be reached. Check the connection and try again.';
        throw new GuildhallError({ status: 0, detail, cause });
      });
    },
  };
}

/** A session is a cookie, and programs carry theirs by hand. */
export const withCookie =
  (cookie: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('cookie', cookie);
    return fetch(input, { ...init, headers });
  };
