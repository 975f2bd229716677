import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { SCOPES, type SessionCaller, type TokenCaller } from '../../src/kernel/access.js';
import { noReadyAnswers } from '../../src/platform/cache/ready-answers.js';
import type { Route } from '../../src/platform/http/declaration/route.js';
import type { Authenticators } from '../../src/platform/http/request/authentication.js';
import { createHttpServer, type HttpOptions } from '../../src/platform/http/server/server.js';
import { createLogger } from '../../src/platform/logging/logger.js';

const person = {
  userId: 1,
  brandId: 1,
  brandName: 'Brand',
  plan: 'team' as const,
  fullName: 'Person',
  email: 'person@example.test',
  staff: false,
  agent: null,
  mfaMissing: false,
  scopes: SCOPES,
  scopeCeiling: SCOPES,
  expiresAt: null,
};
const token: TokenCaller = { ...person, kind: 'pat', tokenId: 'token', role: 'admin' };
const session: SessionCaller = { ...person, kind: 'session', sessionId: 'session', role: 'admin' };

const tokens: Record<string, TokenCaller> = {
  guild_pat_known: token,
  guild_pat_other: { ...token, tokenId: 'other', brandId: 2 },
};

/** Knows tokens of two workspaces, and one credential of each other kind. */
const authenticators: Authenticators = {
  pat: (text) => tokens[text],
  session: (text) => (text === 'known' ? session : undefined),
  desk: () => undefined,
  build: () => undefined,
  isAdminKey: (key) => key === 'known',
};

export const KNOWN = {
  bearer: { authorization: 'Bearer guild_pat_known' },
  cookie: { cookie: 'guildhall_session=known' },
  otherWorkspace: { authorization: 'Bearer guild_pat_other' },
};

export interface TestServer {
  server: FastifyInstance;
  inject: FastifyInstance['inject'];
  logLines: string[];
}

/** Starts only the HTTP server, with the test's own routes. */
export async function startHttp(routes: Route[], options: Partial<HttpOptions> = {}): Promise<TestServer> {
  const logLines: string[] = [];
  const server = await createHttpServer({
    routes,
    authenticators,
    baseUrl: 'http://guildhall.test',
    cookie: { name: 'guildhall_session', secure: false },
    trustedProxies: ['127.0.0.0/8', '::1'],
    logger: createLogger(
      { level: 'info', format: 'json' },
      { write: (line: string) => void logLines.push(line) },
    ),
    readyAnswers: noReadyAnswers,
    translateError: () => undefined,
    observe: () => {},
    answerOnce: async (_request, { make, prepare }) => ({
      ...(await make(await prepare?.())),
      replayed: false,
    }),
    checkResponses: true,
    spoolFolder: join(tmpdir(), 'guildhall-test-spool'),
    ...options,
  });
  await server.ready();
  return { server, inject: server.inject.bind(server) as FastifyInstance['inject'], logLines };
}
