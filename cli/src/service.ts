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
  /** For endpoints that accept people only, and no tokens. */
  people(): Guildhall;
  /** For endpoints that require the operator's key. */
  operator(): Guildhall;
  brandId(): Promise<number>;
  request(method: string, path: string, options: RequestOptions): Promise<Response>;
}

const ADMIN_KEY = 'GUILDHALL_ADMIN_KEY';
/** Long enough to survive a restart of the service, and short enough that a mistyped address fails soon. */
const retry = { absences: 2 };

/** Turns a context into API clients; the only place that does. */
export function openService(access: Access, env: Record<string, string | undefined>): Service {
  const { url, token, session } = access;
  const adminKey = env[ADMIN_KEY] || undefined;
  const asSession = () => new Guildhall({ url, adminKey, retry, fetch: withCookie(session!) });
  const client = session && !token ? asSession() : new Guildhall({ url, token, adminKey, retry });
  let brandId = access.brandId;

  return {
    url,
    client,

    people() {
      if (session) return asSession();
      throw signedOut(
        'This command does not accept access tokens',
        'Sign in as yourself with: guildhall login --email you@example.com',
      );
    },

    operator() {
      if (adminKey) return new Guildhall({ url, adminKey, retry });
      throw signedOut("This command needs the operator's key", `Set it in the environment as ${ADMIN_KEY}.`);
    },

    async brandId() {
      brandId ??= (await client.getCredential()).brand_id;
      return brandId;
    },

    async request(method, path, { body, signal }) {
      // Rejects paths such as `@other.example`, which would send the credential to another server.
      const target = new URL(`${url}${path}`);
      if (target.origin !== new URL(url).origin) throw broken(`${path} is not a path of ${url}`);
      const send = (credential: Record<string, string>) => {
        const headers = { accept: 'application/json, */*;q=0.5', ...credential };
        const init: RequestInit = {
          method,
          headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
          redirect: 'manual',
          signal,
          ...(body !== undefined && { body }),
        };
        return fetch(target, init).catch((cause) => {
          signal.throwIfAborted();
          const detail = 'The service cannot be reached. Check the connection and try again.';
          throw new GuildhallError({ status: 0, detail, cause });
        });
      };
      if (path.startsWith('/api/v1/admin/') && adminKey) return send({ 'x-admin-key': adminKey });
      if (!token) return send(session ? { cookie: session } : {});
      const response = await send({ authorization: `Bearer ${token}` });
      // The endpoint refused the token without doing anything, so the session may be accepted.
      const isForPeople = response.status === 401 || response.status === 403;
      if (!session || !isForPeople) return response;
      await response.body?.cancel();
      return send({ cookie: session });
    },
  };
}

/** Sends the session cookie explicitly, because fetch keeps no cookies. */
export const withCookie =
  (cookie: string): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('cookie', cookie);
    return fetch(input, { ...init, headers });
  };
