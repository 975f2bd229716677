import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock } from '../../kernel/clock.js';
import { createHostActs, type OwnChecks } from './host-acts.js';
import { serveGit } from './host-git.js';
import { createHookSender, type Hook, type HostFaults, happens } from './host-hooks.js';
import { createVisits } from './host-pages.js';
import { createRest } from './host-rest.js';
import { createShapes } from './host-shapes.js';
import { openState, type RepositoryPlace } from './host-state.js';

export interface SimulatedForgeOptions {
  port?: number;
  repositories: readonly RepositoryPlace[];
  token: string;
  hook?: Hook;
  /** Folder for state outside the repositories; not saved by default. */
  folder?: string;
  ownChecks?: OwnChecks;
  /** Allows another process to perform people's actions; for tests only. */
  control?: boolean;
  clock?: Clock;
  botName?: string;
}

export type SimulatedForge = Awaited<ReturnType<typeof startSimulatedForge>>;

const API_PATH = '/api/v3';
const MOST_SENT = 5 * 1024 * 1024;

/**
 * A host on loopback that implements the calls of GitHub's REST API that Guildhall makes, serves repositories
 * over HTTP and sends webhooks. Replaces a real host in the demo and in tests.
 */
export async function startSimulatedForge(options: SimulatedForgeOptions) {
  const { token, clock = systemClock, botName = 'guildhall-bot' } = options;
  const faults: HostFaults = {};
  const hooks = createHookSender(faults);
  hooks.set(options.hook);
  const { state, keep } = openState(options.repositories, clock, options.folder);
  const shapes = createShapes(
    () => origin,
    () => apiUrl,
  );
  const acts = createHostActs({ state, keep, clock, hooks, shapes, ownChecks: options.ownChecks });
  const logSecret = randomBytes(16);
  const logKey = (id: number) => createHmac('sha256', logSecret).update(String(id)).digest('hex');
  const logAddress = (id: number) => `${origin}/_logs/${id}?key=${logKey(id)}`;
  const rest = createRest({ acts, shapes, faults, botName, logAddress });
  const visit = createVisits(state, acts);
  let calls = 0;

  const isToken = (shown: string) =>
    timingSafeEqual(
      createHmac('sha256', logSecret).update(shown).digest(),
      createHmac('sha256', logSecret).update(token).digest(),
    );

  /** False when a fault was applied and the call is finished. */
  function meetsFaults(response: ServerResponse): boolean {
    if (happens(faults.hang)) return false;
    const { rateLimited, status, statusChance = true } = faults;
    if (rateLimited && happens(rateLimited.chance ?? true)) {
      const headers = { 'retry-after': String(rateLimited.retryAfter), 'x-ratelimit-remaining': '0' };
      sendJson(response, 429, { message: 'You have exceeded a secondary rate limit' }, headers);
      return false;
    }
    if (status === undefined || !happens(statusChance)) return true;
    sendJson(response, status, { message: 'Made to go wrong' });
    return false;
  }

  async function answerCall(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    calls += 1;
    const body = await readBody(request);
    if (!meetsFaults(response)) return;
    const [, shown = ''] = /^(?:Bearer|token) (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!isToken(shown)) {
      sendJson(response, 401, {
        message: 'Bad credentials',
        documentation_url: 'https://docs.github.com/rest',
      });
      return;
    }
    const answer = await rest({
      method: request.method ?? 'GET',
      path: url.pathname.slice(API_PATH.length),
      query: url.searchParams,
      body: parse(body),
    });
    if (happens(faults.loseAnswers)) {
      request.socket.destroy();
      return;
    }
    const next = new URL(url);
    next.searchParams.set('page', String((Number(url.searchParams.get('page')) || 1) + 1));
    sendJson(response, answer.status, answer.content, {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      'x-ratelimit-reset': String(Math.ceil(clock.now().getTime() / 1000) + 3600),
      ...(answer.hasNext && { link: `<${next.href}>; rel="next"` }),
      ...(answer.location !== undefined && { location: answer.location }),
    });
  }

  async function answerGit(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const [, name, service] = /^\/([^/]+\/[^/]+)\.git(\/.+)$/.exec(url.pathname) ?? [];
    const one = state.repositories.find((each) => each.name === name);
    if (!one || service === undefined) return false;
    const [, packed = ''] = /^Basic (.+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const [, ...password] = Buffer.from(packed, 'base64').toString('utf8').split(':');
    const pushes = /receive-pack/.test(service + url.search);
    if (!isToken(password.join(':')) || (pushes && faults.mayNotPush)) {
      const status = packed === '' ? 401 : 403;
      response.writeHead(status, { 'www-authenticate': 'Basic realm="Simulated host"' }).end();
      return true;
    }
    await serveGit({ path: one.path, service, search: url.search }, request, response);
    if (pushes) await acts.refresh(one);
    return true;
  }

  async function answerPage(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const from = request.headers.origin;
    if (request.method === 'POST' && from !== undefined && from !== `http://${request.headers.host}`) {
      response.writeHead(403).end();
      return;
    }
    const form = new URLSearchParams(request.method === 'POST' ? await readBody(request) : '');
    const { status, html = '', location } = await visit(request.method ?? 'GET', url.pathname, form);
    response
      .writeHead(status, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        ...(location !== undefined && { location }),
      })
      .end(html);
  }

  function answerLog(response: ServerResponse, url: URL): void {
    const id = Number(url.pathname.split('/')[2]);
    const check = state.repositories.flatMap(({ checks }) => checks).find((one) => one.id === id);
    const known = check && url.searchParams.get('key') === logKey(id);
    response.writeHead(known ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(known ? check.log : '');
  }

  async function answerControl(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const shown = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (!options.control || !isToken(shown)) {
      response.writeHead(404).end();
      return;
    }
    const { act, args } = JSON.parse(await readBody(request)) as { act: string; args: unknown[] };
    const operation = operations[act as keyof typeof operations] as
      | ((...given: unknown[]) => unknown)
      | undefined;
    try {
      sendJson(response, 200, { answer: (await operation?.(...args)) ?? null });
    } catch (error) {
      sendJson(response, 409, { message: error instanceof Error ? error.message : '' });
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', origin);
    if (url.pathname.startsWith(`${API_PATH}/`)) return answerCall(request, response, url);
    if (url.pathname === '/_control') return answerControl(request, response);
    if (url.pathname.startsWith('/_logs/')) return answerLog(response, url);
    if (await answerGit(request, response, url)) return;
    return answerPage(request, response, url);
  }

  const operations = {
    merge: acts.merge,
    closePullRequest: acts.closePullRequest,
    setCheck: acts.setCheck,
    review: acts.review,
    requestReview: acts.requestReview,
    setDraft: acts.setDraft,
    openIssue: acts.openIssue,
    closeIssue: acts.closeIssue,
    relabel: acts.relabel,
    renameIssue: acts.renameIssue,
    comment: acts.comment,
    deploy: acts.deploy,
    async pullRequests(name?: string) {
      const one = acts.find(name);
      await acts.refresh(one);
      return structuredClone(one.pulls);
    },
    issues: async (name?: string) => structuredClone(acts.find(name).issues),
    checks: async (name?: string) => structuredClone(acts.find(name).checks),
    setHook: (hook: Hook | undefined) => hooks.set(hook),
    setFaults(wrong: HostFaults) {
      for (const name of Object.keys(faults)) delete faults[name as keyof HostFaults];
      Object.assign(faults, wrong);
    },
    countCalls: () => calls,
    settleHooks: hooks.settle,
  };

  const server = createServer((request, response) => {
    response.on('error', () => {});
    answer(request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const apiUrl = origin + API_PATH;
  keep();
  acts.resume();

  return {
    ...operations,
    origin,
    apiUrl,
    faults,
    async close(): Promise<void> {
      acts.stop();
      hooks.stop();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await hooks.settle();
    },
  };
}

function sendJson(
  response: ServerResponse,
  status: number,
  content: unknown,
  headers: Record<string, string> = {},
): void {
  const type = content === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers });
  response.end(content === undefined ? undefined : JSON.stringify(content));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_SENT) throw new Error('Too much was sent');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(body: string): unknown {
  try {
    return body === '' ? undefined : JSON.parse(body);
  } catch {
    return undefined;
  }
}
