import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, workspaceOf } from '../../../kernel/access.js';
import { isTraced } from '../../../kernel/tracing.js';
import { rememberRecent } from '../../cache/cache.js';
import type { ReadyAnswers } from '../../cache/ready-answers.js';
import { isPackedOnItsWay, readyReply } from '../answer/ready-answer.js';
import type { Route } from '../declaration/route.js';
import { authorize } from '../request/authentication.js';

/** Sends ready answers before the framework handles the request. */
export interface FastPath {
  /** Returns whether it has responded. If not, it had no effects, and all checks remain to be made. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  /** Remembers the route of an address that has a ready answer. */
  remember(address: string, found: FoundRoute): void;
}

interface FoundRoute {
  declaration: Route;
  route: string;
  params: Record<string, string>;
}

interface FastPathOptions {
  readyAnswers: ReadyAnswers;
  authenticate(declaration: Route, request: IncomingMessage): Caller | Promise<Caller>;
  count(request: IncomingMessage, caller: Caller): void;
  requestIdOf(request: IncomingMessage): string;
  securityHeadersOf(request: IncomingMessage): Record<string, string>;
  /** While stopping, requests take the usual path, which closes the connection. */
  isStopping(): boolean;
  log: LogAnswer;
}

export type LogAnswer = (
  request: IncomingMessage,
  answer: { id: string; route: string; status: number; elapsedMs: number },
) => void;

const MOST_ADDRESSES = 20_000;
const LONGEST_ADDRESS = 500;

export function createFastPath(options: FastPathOptions): FastPath {
  const { readyAnswers, authenticate, count, requestIdOf, securityHeadersOf, isStopping, log } = options;
  const known = rememberRecent<FoundRoute>(MOST_ADDRESSES);
  const send = batchSends();

  /**
   * Returns the caller if it is known synchronously and authorized. All other requests take the usual path.
   */
  const admit = (request: IncomingMessage, { declaration, params }: FoundRoute): Caller | undefined => {
    try {
      const caller = authenticate(declaration, request);
      if (caller instanceof Promise) {
        caller.catch(() => undefined);
        return undefined;
      }
      authorize(declaration, caller, params);
      return caller;
    } catch {
      return undefined;
    }
  };

  return {
    answer(request, response) {
      if (!isPlain(request) || isTraced() || isStopping()) return false;
      const began = performance.now();
      const found = known.get(request.url!);
      const caller = found && admit(request, found);
      const ready = caller && readyAnswers.ready(workspaceOf(caller), request.url!);
      if (!ready || isPackedOnItsWay(ready)) return false;
      try {
        count(request, caller);
      } catch {
        return false;
      }
      const id = requestIdOf(request);
      const { status, headers, body } = readyReply(request.headers, ready);
      response.writeHead(status, { 'x-request-id': id, ...securityHeadersOf(request), ...headers });
      send(response, body);
      log(request, { id, route: found.route, status, elapsedMs: performance.now() - began });
      return true;
    },

    remember(address, found) {
      if (address.length <= LONGEST_ADDRESS) known.set(address, found);
    },
  };
}

/**
 * Sends responses together after all input has been read, because waking callers one by one takes longer than
 * serving them.
 */
function batchSends(): (response: ServerResponse, body: string | Buffer | undefined) => void {
  const waiting: [ServerResponse, string | Buffer | undefined][] = [];
  const sendAll = () => {
    for (const [response, body] of waiting.splice(0)) response.end(body);
  };
  return (response, body) => {
    if (waiting.push([response, body]) === 1) setImmediate(sendAll);
  };
}

/** A request without a body and with a Host header. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.host !== undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;
