import type { FastifyRequest } from 'fastify';
import type { Answer } from './answers.js';

/** Two years, and for every name below ours: what a browser has once reached by https it never tries without again. */
const STRICT_TRANSPORT = 'max-age=63072000; includeSubDomains';

/** Nothing that is answered is a page, unless a route says so with a policy of its own. */
const NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

const ALWAYS: readonly (readonly [name: string, value: string])[] = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['content-security-policy', NO_PAGE],
  ['cross-origin-resource-policy', 'same-origin'],
];

type Headers = readonly (readonly [name: string, value: string])[];

/** What every answer carries, by whether it travels under https. */
export function securityHeaders(baseUrl: string): { plain: Headers; secure: Headers } {
  const secure: Headers = [...ALWAYS, ['strict-transport-security', STRICT_TRANSPORT]];
  return { plain: baseUrl.startsWith('https:') ? secure : ALWAYS, secure };
}

/** A cookie that was asked for by https goes nowhere else, also where BASE_URL does not say https. */
export function secureCookies({ headers }: Answer, request: FastifyRequest): Answer['headers'] {
  const cookies = headers['set-cookie'];
  if (cookies === undefined || !request.cameByHttps) return headers;
  const secure = [cookies]
    .flat()
    .map((cookie) => (/; *secure\b/i.test(cookie) ? cookie : `${cookie}; Secure`));
  return { ...headers, 'set-cookie': secure };
}
