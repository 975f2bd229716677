import http from 'node:http';
import https from 'node:https';
import { traceCall } from '../../../kernel/tracing.js';
import {
  isUntrusted,
  judgingLookup,
  OutgoingRefused,
  refusalOf,
  wasClosedBefore,
} from '../../../platform/outgoing/outgoing-address.js';
import type { ReceiverRules } from '../subscriptions/subscriptions.service.js';

const LIMIT_MS = 10_000;
/** Bytes of a response body to read: enough to reuse the connection, too few to keep us busy. */
const MOST_READ = 16 * 1024;
/** Equals the concurrent messages to one receiver, so that a burst opens no further connections. */
const KEPT_OPEN = 8;
const KEPT_OPEN_MS = 15_000;

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Aborted when the program stops; the outcome is then unknown. */
  signal: AbortSignal;
}

/** `error` is null when the receiver accepted the message. */
export interface Outcome {
  status: number | null;
  error: string | null;
  milliseconds: number;
}

export interface Sender {
  post(post: Post): Promise<Outcome | undefined>;
  close(): void;
}

class TooSlow extends Error {}
class Interrupted extends Error {}

/**
 * Sends to addresses that strangers entered: a name is checked when it is resolved for the connection, which
 * prevents DNS rebinding, and a literal address before, because it is never looked up. Connections are shared
 * by all webhooks of a host, and the dispatcher limits their number.
 */
export function createSender(rules: ReceiverRules, limitMs = LIMIT_MS): Sender {
  const settings = {
    keepAlive: true,
    maxFreeSockets: KEPT_OPEN,
    timeout: KEPT_OPEN_MS,
    lookup: judgingLookup(rules),
  };
  const agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };

  function dial(target: URL, { headers, body }: Post, ended: (result: number | Error) => void) {
    const secure = target.protocol === 'https:';
    const request = (secure ? https : http).request(target, {
      method: 'POST',
      agent: agents[secure ? 'https:' : 'http:'],
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    });
    request.on('response', (response) => {
      ended(response.statusCode ?? 0);
      dropBody(response);
    });
    // Node reports a 101 response only through this event.
    request.on('upgrade', (response, socket) => {
      ended(response.statusCode ?? 0);
      socket.destroy();
    });
    request.on('error', ended);
    request.end(body);
    return request;
  }

  function send(post: Post): Promise<Outcome | undefined> {
    const began = performance.now();
    return new Promise((resolve) => {
      const conclude = (result: number | Error) => {
        const milliseconds = Math.round(performance.now() - began);
        resolve(result instanceof Interrupted ? undefined : { ...describe(result), milliseconds });
      };
      const target = new URL(post.url);
      const refusal = refusalOf(rules, target);
      if (refusal) return conclude(refusal);

      let request: http.ClientRequest;
      const stop = (reason: Error) => {
        request.destroy(reason);
        conclude(reason);
      };
      const interrupt = () => stop(new Interrupted());
      const limit = setTimeout(() => stop(new TooSlow()), limitMs);
      const release = () => {
        clearTimeout(limit);
        post.signal.removeEventListener('abort', interrupt);
      };
      const begin = (isSecondTry: boolean): http.ClientRequest => {
        const attempt = dial(target, post, (result) => {
          if (result instanceof Error && !isSecondTry && wasClosedBefore(attempt, result)) {
            request = begin(true);
            return;
          }
          conclude(result);
        });
        // The time limit includes the response body, and every attempt resolves even if it closes silently.
        attempt.on('close', () => {
          if (attempt !== request) return;
          release();
          conclude(new Error('Closed without an answer'));
        });
        return attempt;
      };
      request = begin(false);
      post.signal.addEventListener('abort', interrupt);
      if (post.signal.aborted) interrupt();
    });
  }

  return {
    post: (post) =>
      traceCall('POST', post.url, (traceHeaders) =>
        send({ ...post, headers: { ...post.headers, ...traceHeaders } }),
      ),

    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function dropBody(response: http.IncomingMessage): void {
  let read = 0;
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > MOST_READ) response.destroy();
  });
}

/** Uses our own words, because raw network errors can reveal the internal network. */
function describe(result: number | Error): { status: number | null; error: string | null } {
  if (typeof result === 'number') {
    const delivered = result >= 200 && result < 300;
    return { status: result, error: delivered ? null : `The receiver answered ${result}` };
  }
  return { status: null, error: wordsFor(result) };
}

function wordsFor(error: Error): string {
  if (error instanceof OutgoingRefused) return error.message;
  if (error instanceof TooSlow) return `There was no answer within ${LIMIT_MS / 1000} seconds`;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'ECONNREFUSED') return 'The receiver refused the connection';
  if (isUntrusted(error))
    return 'A secure connection could not be made; check the certificate of the receiver';
  return 'The connection failed';
}
