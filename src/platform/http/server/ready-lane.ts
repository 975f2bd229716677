import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, workspaceOf } from '../../../kernel/access.js';
import type { ReadyAnswers } from '../../../kernel/ready-answers.js';
import { rememberRecent } from '../../../kernel/recent.js';
import { isTraced } from '../../../kernel/tracing.js';
import { isPackedOnItsWay, readyReply } from '../answer/ready-answer.js';
import type { Route } from '../declaration/route.js';
import { authorize } from '../request/authentication.js';

/** Answers that are ready, given before the framework begins with the request. */
export interface ReadyLane {
  /** Whether it has been answered. If not, nothing has happened yet: all checks are still to be made. */
  answer(request: IncomingMessage, response: ServerResponse): boolean;
  /** An address was asked for that leads to something ready, and is in order: it need not be read again. */
  remember(address: string, found: FoundRoute): void;
}

interface FoundRoute {
  declaration: Route;
  /** As the log names it. */
  route: string;
  params: Record<string, string>;
}

export interface ReadyLaneOptions {
  readyAnswers: ReadyAnswers;
  authenticate(declaration: Route, request: IncomingMessage): Caller | Promise<Caller>;
  /** Counts the request for its workspace; throws when there were too many. */
  count(request: IncomingMessage, caller: Caller): void;
  requestIdOf(request: IncomingMessage): string;
  /** What every answer carries. */
  guarding(request: IncomingMessage): Record<string, string>;
  /** About to stop: who is answered then is told to dial anew. */
  isStopping(): boolean;
  log: LogAnswer;
}

/** Tells of a request that has been answered. */
export type LogAnswer = (
  request: IncomingMessage,
  answer: { id: string; route: string; status: number; elapsedMs: number },
) => void;

const MOST_ADDRESSES = 20_000;
const LONGEST_ADDRESS = 500;

export function createReadyLane(options: ReadyLaneOptions): ReadyLane {
  const { readyAnswers, authenticate, count, requestIdOf, guarding, isStopping, log } = options;
  const known = rememberRecent<FoundRoute>(MOST_ADDRESSES);
  const send = gatherSends();

  /** Who asks, when that is known at once and they may; who may not is told so by the framework's way. */
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
      response.writeHead(status, { 'x-request-id': id, ...guarding(request), ...headers });
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
 * Sends answers together, once everything that has arrived is read. One by one, each would wake a caller who waits for it, and
 * to wake somebody takes longer than to answer.
 */
function gatherSends(): (response: ServerResponse, body: string | Buffer | undefined) => void {
  const waiting: [ServerResponse, string | Buffer | undefined][] = [];
  const sendAll = () => {
    for (const [response, body] of waiting.splice(0)) response.end(body);
  };
  return (response, body) => {
    if (waiting.push([response, body]) === 1) setImmediate(sendAll);
  };
}

/** A question without a body, from somebody who said which host they mean. */
const isPlain = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers.host !== undefined &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined;
