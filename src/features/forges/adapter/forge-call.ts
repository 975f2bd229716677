import http from 'node:http';
import https from 'node:https';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../kernel/clock.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import { traceCall } from '../../../kernel/tracing.js';
import {
  type DialRules,
  isUntrusted,
  judgingLookup,
  OutgoingRefused,
  readAddress,
  readNetworks,
  refusalOf,
  wasClosedBefore,
} from '../../../platform/outgoing/outgoing-address.js';
import { JsonBounds, LogTail, readLimit, readUsedUp } from './answer-limits.js';
import { ForgeFailed } from './forge.js';

const LIMIT_MS = 10_000;
/** The size of a hundred pull requests with texts of the longest length. */
const MOST_READ = 10 * 1024 * 1024;
const LONGEST_LOG = 50 * 1024 * 1024;
const MOST_REDIRECTS = 3;
/** Connections per host; further calls wait within their own deadline. */
const MOST_CONNECTIONS = 16;
const KEPT_OPEN = 4;
const KEPT_OPEN_MS = 15_000;
const MOST_PAUSES = 10_000;
const LOOPBACK = ['127.0.0.0/8', '::1'];

export interface ForgeCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  url: string;
  headers: Record<string, string>;
  body?: unknown;
}

export interface ForgeAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  content: unknown;
}

export interface ForgeCallOptions {
  /** Private networks in which hosts are allowed. */
  networks: readonly string[];
  clock: Clock;
  version: string;
  /** Exact loopback origins that may be called. */
  trustedOrigins?: () => readonly string[];
  resolve?: DialRules['resolve'];
  limitMs?: number;
}

export type ForgeCaller = ReturnType<typeof createForgeCaller>;

interface Received {
  status: number;
  headers: http.IncomingHttpHeaders;
}

class TooSlow extends Error {}
class TooLarge extends Error {}

/**
 * Calls addresses that admins entered, so a host name is checked when it is resolved for the connection and
 * an IP address before. Every call has a deadline, and connections are limited per host, so that a hanging
 * host does not delay others.
 */
export function createForgeCaller({
  networks,
  clock,
  version,
  trustedOrigins = () => [],
  resolve,
  limitMs = LIMIT_MS,
}: ForgeCallOptions) {
  const untrusted = createConnections(networks, resolve);
  const trusted = createConnections([...networks, ...LOOPBACK], resolve);
  /** Maps a host and token to the time until which its rate limit is used up. */
  const pauses = new LRUCache<string, Date>({ max: MOST_PAUSES });
  const pauseKey = ({ url, headers }: ForgeCall): string =>
    `${new URL(url).origin} ${sha256Hex(JSON.stringify(headers))}`;

  function requireNoPause(call: ForgeCall): void {
    const until = pauses.get(pauseKey(call));
    if (until && until > clock.now()) throw hostWantsPause(until);
  }

  /** Records an answer that used up the rate limit; a rejected call throws instead. */
  function rememberPause(call: ForgeCall, { status, headers }: Received): void {
    const now = clock.now();
    const until = readLimit(status, headers, now) ? undefined : readUsedUp(headers, now);
    if (until) pauses.set(pauseKey(call), until);
  }

  const connectionsTo = (target: URL) => (trustedOrigins().includes(target.origin) ? trusted : untrusted);

  /** Sends one request; `onData` throws to abort it. */
  function exchange(
    call: ForgeCall,
    deadline: AbortSignal,
    onData: (chunk: Buffer, answer: Received) => void,
  ): Promise<Received> {
    const target = new URL(call.url);
    const { rules, agents } = connectionsTo(target);
    const refusal = refusalOf({ ...rules, allowsHttp: isLoopback(target.hostname) }, target);
    if (refusal) return Promise.reject(refusal);
    const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
    const secure = target.protocol === 'https:';

    // Changing requests use a fresh connection, because one that the host closed would require a repetition.
    const repeats = call.method === 'GET';

    const attempt = (traceHeaders: Record<string, string>, isSecondTry = false): Promise<Received> =>
      new Promise((settle, fail) => {
        const request = (secure ? https : http).request(target, {
          method: call.method,
          agent: agents[repeats ? 'kept' : 'fresh'][secure ? 'https:' : 'http:'],
          headers: {
            'user-agent': `Guildhall/${version}`,
            ...call.headers,
            ...traceHeaders,
            ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
          },
        });
        const giveUp = () => request.destroy(new TooSlow());
        const end = (error: Error) => {
          const mayRepeat = repeats && !isSecondTry && !deadline.aborted;
          if (mayRepeat && wasClosedBefore(request, error)) settle(attempt(traceHeaders, true));
          else fail(error);
        };
        request.on('response', (response) => {
          const answer = { status: response.statusCode ?? 0, headers: response.headers };
          response.on('error', end);
          response.on('data', (chunk: Buffer) => {
            try {
              onData(chunk, answer);
            } catch (error) {
              request.destroy(error as Error);
            }
          });
          response.on('end', () => settle(answer));
        });
        // We never request another protocol.
        request.on('upgrade', (_response, socket) => socket.destroy());
        request.on('error', end);
        request.on('close', () => {
          deadline.removeEventListener('abort', giveUp);
          fail(new Error('Closed without an answer'));
        });
        deadline.addEventListener('abort', giveUp);
        if (deadline.aborted) giveUp();
        request.end(body);
      });
    return traceCall(call.method, target.origin, async (traceHeaders) => {
      const answer = await attempt(traceHeaders);
      rememberPause(call, answer);
      return answer;
    });
  }

  async function timed<T>(work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), limitMs);
    try {
      return await work(deadline.signal);
    } catch (error) {
      throw error instanceof ForgeFailed ? error : new ForgeFailed('unreachable', wordsFor(error));
    } finally {
      clearTimeout(timer);
    }
  }

  const judge = ({ status, headers }: Received): void => {
    const failure = failureOf(status, readLimit(status, headers, clock.now()));
    if (failure) throw failure;
  };

  /** Throws on a 5xx, so that the call can be repeated once. */
  async function receive(call: ForgeCall, deadline: AbortSignal) {
    const chunks: Buffer[] = [];
    const bounds = new JsonBounds();
    let size = 0;
    const answer = await exchange(call, deadline, (chunk) => {
      size += chunk.length;
      if (size > MOST_READ || !bounds.add(chunk)) throw new TooLarge();
      chunks.push(chunk);
    });
    if (answer.status >= 500) judge(answer);
    return { answer, body: Buffer.concat(chunks) };
  }

  return {
    /** A redirect is a failure. */
    ask: (call: ForgeCall): Promise<ForgeAnswer> =>
      timed(async (deadline) => {
        requireNoPause(call);
        const { answer, body } = await receive(call, deadline).catch((error: unknown) => {
          if (call.method !== 'GET' || isFinal(error)) throw error;
          return receive(call, deadline);
        });
        judge(answer);
        return { ...answer, content: readContent(answer, body) };
      }),

    /** Redirects are followed without the token and with the same address check. */
    readTail: (call: ForgeCall, lines: number): Promise<string> =>
      timed(async (deadline) => {
        requireNoPause(call);
        let next = call;
        for (let hops = 0; ; hops += 1) {
          const tail = new LogTail(LONGEST_LOG);
          const answer = await exchange(next, deadline, (chunk, { status }) => {
            if (status === 200 && !tail.add(chunk)) throw new TooLarge();
          });
          const onward = redirectOf(answer, next.url);
          if (onward === undefined) {
            judge(answer);
            return tail.read(lines);
          }
          if (hops === MOST_REDIRECTS) throw new Error('Sent on too often');
          next = { method: 'GET', url: onward, headers: { accept: '*/*' } };
        }
      }),

    close() {
      for (const { agents } of [untrusted, trusted])
        for (const pair of Object.values(agents)) for (const agent of Object.values(pair)) agent.destroy();
    },
  };
}

const isFinal = (error: unknown): boolean =>
  error instanceof TooSlow ||
  error instanceof TooLarge ||
  error instanceof OutgoingRefused ||
  (error instanceof ForgeFailed && error.fault !== 'unreachable') ||
  (error as NodeJS.ErrnoException).code === 'ERR_INVALID_CHAR';

function createConnections(networks: readonly string[], resolve: DialRules['resolve']) {
  const rules = { networks: readNetworks(networks), resolve };
  const pair = (keepAlive: boolean) => {
    const settings = {
      keepAlive,
      maxSockets: MOST_CONNECTIONS,
      maxFreeSockets: KEPT_OPEN,
      timeout: KEPT_OPEN_MS,
      lookup: judgingLookup(rules),
    };
    return { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };
  };
  return { rules, agents: { kept: pair(true), fresh: pair(false) } };
}

export function isLoopback(hostname: string): boolean {
  const address = readAddress(hostname);
  if (address === undefined) return /(?:^|\.)localhost\.?$/i.test(hostname);
  return address === '::1' || address.startsWith('127.');
}

function redirectOf({ status, headers }: Received, from: string): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  const { location = '' } = headers;
  if (!URL.canParse(location, from)) throw new Error('Sent on to nowhere');
  const target = new URL(location, from);
  target.username = '';
  target.password = '';
  return target.href;
}

const hostWantsPause = (until: Date): ForgeFailed =>
  new ForgeFailed('limited', 'The repository host limits requests right now', until);

/** Uses our own words, since the host's text may contain anything. */
export function failureOf(status: number, retryAt: Date | undefined): ForgeFailed | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (retryAt) return hostWantsPause(retryAt);
  if (status >= 300 && status < 400)
    return new ForgeFailed(
      'invalid',
      'The repository host redirects to another address. The repository may have been renamed',
    );
  if (status === 401) return new ForgeFailed('refused', 'The repository host rejected the token');
  if (status === 403) return new ForgeFailed('refused', 'The token lacks the permission for this');
  if (status === 404 || status === 410)
    return new ForgeFailed('missing', 'Not found on the repository host, or hidden from the token');
  if (status === 408 || status < 200 || status >= 500)
    return new ForgeFailed('unreachable', `The host answered ${status}`);
  return new ForgeFailed('invalid', `The repository host rejected the request (status ${status})`);
}

function readContent({ status, headers }: Received, body: Buffer): unknown {
  if (status === 204 || body.length === 0) return null;
  const type = headers['content-type'] ?? '';
  if (headers['content-encoding'] !== undefined || !/^application\/(?:[\w.+-]{1,100}\+)?json\b/i.test(type))
    throw new ForgeFailed('unreachable', 'The repository host did not answer with JSON');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new ForgeFailed('unreachable', 'The repository host answered with invalid JSON');
  }
}

function wordsFor(error: unknown): string {
  if (error instanceof OutgoingRefused) return error.message;
  if (error instanceof TooSlow) return `The host did not answer within ${LIMIT_MS / 1000} seconds`;
  if (error instanceof TooLarge) return 'The answer of the repository host is too large';
  if (!(error instanceof Error)) return 'The host could not be reached';
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ERR_INVALID_CHAR') return 'The token contains invalid characters';
  if (code === 'ECONNREFUSED') return 'The host refused the connection';
  if (isUntrusted(error)) return 'A secure connection could not be made; check the certificate of the host';
  return 'The host could not be reached';
}
