import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Caller } from '../../../kernel/access.js';
import { networkOf } from '../../../kernel/addresses.js';
import { OUTAGE_RETRY_SECONDS, unavailable } from '../../../kernel/errors.js';
import { FairQueue, type Place } from '../../../kernel/fair-queue.js';
import type { Log } from '../../../kernel/log.js';
import { rememberRecent } from '../../cache/cache.js';

export type RefusalReason = 'overload' | 'urgent' | 'streams';

export interface RequestQueueOptions {
  /** Paths that bypass the queue: health checks and reports of desks. */
  urgentPaths: ReadonlySet<string>;
  /** How long the oldest request has waited for a database connection, in milliseconds. */
  databaseWaitMs(): number;
  clientAddressOf(request: IncomingMessage): string;
  /** Whether a trusted proxy sent the request. Many clients share its connections. */
  cameByProxy(request: IncomingMessage): boolean;
  longestWaitMs?: number;
  /** Limits the total cost of the running requests of one workspace, in milliseconds. */
  mostCostOfOne?: number;
  measureEveryMs?: number;
  refuse(response: ServerResponse): void;
  onRefused?(reason: RefusalReason): void;
  log: Log;
}

/** Runs a limited number of requests at once and shares the places fairly between workspaces by cost. */
export interface RequestQueue {
  /**
   * Serves the request once it has a place, or rejects it. A request with a body gets its place from `enter`
   * when the body is complete.
   */
  admit(request: IncomingMessage, response: ServerResponse, answer: () => void): void;
  noteConnection(): void;
  /** Waits for a place or throws the 503. Anonymous callers queue per `purpose`. */
  enter(request: IncomingMessage, response: ServerResponse, purpose?: string): Promise<void>;
  /** Whether the owner of the request's credential is known. */
  isKnown(request: IncomingMessage): boolean;
  /** Charges this and later requests with the same credential to the caller's workspace. */
  attribute(request: IncomingMessage, caller: Caller): void;
  /** Frees the place while the request waits for its body, for events or for its reader. */
  leave(request: IncomingMessage): void;
  /** Adapts the number of places. Called by a timer and by tests. */
  measure(load: Load): void;
  stop(): void;
}

export interface Load {
  loopDelayMs: number;
  /** Share of one core that this process used. */
  processorShare: number;
}

const FEWEST_PLACES = 8;
const USUAL_PLACES = 64;
const MOST_PLACES = 256;
/** In milliseconds: two large pages at once, or many small reads. */
const MOST_COST_OF_ONE = 40;
/** Extra places for workspaces without a running request. */
const EXTRA_PLACES = 16;
const MOST_URGENT = 512;
/** Share of the places for one workspace, and for all anonymous callers together. */
const SHARE_OF_ONE = 0.75;
const SHARE_OF_STRANGERS = 0.5;

/** Keeps the wait and the time to serve the request below one second together. */
const LONGEST_WAIT_MS = 850;
/**
 * Once a workspace's queue has existed for this fraction of the longest wait, requests that would exceed the
 * longest wait are rejected at once. A burst may use the whole wait.
 */
const STANDING_PART = 0.3;
const MOST_WAITING = 5000;

const MEASURE_EVERY_MS = 200;
const DELAY_RESOLUTION_MS = 10;
const LATE_LOOP_MS = 50;
const LATE_DATABASE_MS = 100;
/** Below this share another process keeps the machine busy, and fewer places would not help. */
const OWN_PROCESSOR_SHARE = 0.5;
const SHRINK = 0.7;
const GROW = 1.25;
/** If the event loop is on time, a request that runs this long waits for something outside this process. */
const WAITING_AFTER_MS = 500;
/**
 * Requests start for this long per turn of the event loop. Connections and the database are handled between
 * turns.
 */
const TURN_MS = 10;
const MOST_RESTING_TURNS = 64;
/** Used to charge a request for the bytes it wrote. */
const BYTES_PER_MS = 100_000;
const REMEMBERED_CREDENTIALS = 10_000;
/** The overload ends after this many measurements without a rejection. */
const CALM_MEASUREMENTS = 25;

/** This many rejections between two measurements would occupy the event loop. */
const FLOOD = 400;
/** Shorter than `Retry-After`, so that well-behaved callers do not notice. */
const REST_MS = 500;

const STRANGER = 'network ';
const OPERATOR = 'operator';

interface Ticket {
  place: Place;
  response: ServerResponse;
  since: number;
  /** Total charge when this request started. */
  chargedBefore: number;
  bytesBefore: number;
}

const isStranger = (key: string) => key.startsWith(STRANGER);

const overloaded = () => unavailable('The service is overloaded; try again shortly', OUTAGE_RETRY_SECONDS);

export function createRequestQueue(options: RequestQueueOptions): RequestQueue {
  const { urgentPaths, databaseWaitMs, clientAddressOf, cameByProxy, refuse, onRefused, log } = options;
  const { longestWaitMs = LONGEST_WAIT_MS, mostCostOfOne = MOST_COST_OF_ONE } = options;
  const tickets = new Map<IncomingMessage, Ticket>();
  const open = new WeakMap<Socket, Set<IncomingMessage>>();
  const charge = chargeRunning(() => tickets.size);
  const credentials = rememberCredentials();
  const turns = takeTurns(() => queue.startWaiting());
  let strangers = 0;
  let urgent = 0;
  let refused = 0;
  let wasFull = false;
  let isFlooded = false;

  const queue = new FairQueue({
    places: USUAL_PLACES,
    mostPerKey: USUAL_PLACES * SHARE_OF_ONE,
    extraPlaces: EXTRA_PLACES,
    mostCostPerKey: mostCostOfOne,
    longestWaitMs,
    refuse: overloaded,
    mayStart: (key) =>
      turns.hasTime() && (!isStranger(key) || strangers < Math.max(1, queue.places * SHARE_OF_STRANGERS)),
  });

  /** A credential that is new to this node does not queue behind anonymous callers. */
  const keyOf = (request: IncomingMessage, purpose = ''): string =>
    credentials.find(request) ??
    `${STRANGER}${networkOf(clientAddressOf(request))} ${credentialOf(request) === undefined ? purpose : 'new'}`;

  const isHopeless = (key: string) => {
    const { expectedMs, standingMs } = queue.expectWait(key);
    const standing = longestWaitMs * STANDING_PART;
    return queue.waiting >= MOST_WAITING || expectedMs > (standingMs > standing ? standing : longestWaitMs);
  };

  const noteRefusal = (reason: RefusalReason) => {
    refused += 1;
    onRefused?.(reason);
  };

  /** For pipelined requests Node reports a closed connection only on the socket. */
  const followSocket = (request: IncomingMessage) => {
    const { socket } = request;
    const known = open.get(socket);
    if (known) return void known.add(request);
    const requests = new Set([request]);
    open.set(socket, requests);
    socket.once?.('close', () => {
      for (const each of requests) leave(each);
    });
  };

  const leave = (request: IncomingMessage) => {
    const ticket = tickets.get(request);
    if (!ticket) return;
    const charged = charge() - ticket.chargedBefore;
    tickets.delete(request);
    open.get(request.socket)?.delete(request);
    if (isStranger(ticket.place.key)) strangers -= 1;
    const bytes = (request.socket.bytesWritten ?? 0) - ticket.bytesBefore;
    ticket.place.leave(charged + bytes / BYTES_PER_MS);
  };

  const start = (place: Place, request: IncomingMessage, response: ServerResponse) => {
    const chargedBefore = charge();
    const bytesBefore = request.socket.bytesWritten ?? 0;
    tickets.set(request, { place, response, since: performance.now(), chargedBefore, bytesBefore });
    if (isStranger(place.key)) strangers += 1;
    if (queue.running >= queue.places) wasFull = true;
    followSocket(request);
    response.once('finish', () => leave(request)).once('close', () => leave(request));
  };

  const admitUrgent = (response: ServerResponse, answer: () => void) => {
    if (urgent >= MOST_URGENT) {
      noteRefusal('urgent');
      return refuse(response);
    }
    urgent += 1;
    let isOpen = true;
    const end = () => {
      if (isOpen) urgent -= 1;
      isOpen = false;
    };
    response.once('finish', end).once('close', end);
    response.req.socket.once?.('close', end);
    answer();
  };

  /** Frees the places of requests that only wait for a slow reader or another host. */
  const reclaim = (isLate: boolean) => {
    const before = performance.now() - WAITING_AFTER_MS;
    for (const [request, { response, since }] of tickets)
      if (response.writableEnded || (!isLate && since < before)) leave(request);
  };

  const stopMeasuring = measureLoad(options.measureEveryMs ?? MEASURE_EVERY_MS, (load) => measure(load));
  const announce = announceOverload(log);

  const measure = ({ loopDelayMs, processorShare }: Load) => {
    const isLate = loopDelayMs > LATE_LOOP_MS || databaseWaitMs() > LATE_DATABASE_MS;
    const isOurs = processorShare >= OWN_PROCESSOR_SHARE || databaseWaitMs() > LATE_DATABASE_MS;
    reclaim(isLate);
    const { places } = queue;
    let next = places;
    if (isLate && isOurs) next = Math.max(FEWEST_PLACES, Math.floor(places * SHRINK));
    else if (!isLate && (places < USUAL_PLACES || wasFull)) next = Math.ceil(places * GROW);
    else if (!isLate && places > USUAL_PLACES) next = Math.max(USUAL_PLACES, Math.floor(places * SHRINK));
    next = Math.min(MOST_PLACES, next);
    wasFull = false;
    queue.resize(next, Math.max(1, Math.floor(next * SHARE_OF_ONE)));
    announce(refused, { places: next, running: queue.running, waiting: queue.waiting });
    isFlooded = refused > FLOOD;
    refused = 0;
  };

  const refuseLater = spread((response: ServerResponse) => {
    if (isFlooded && !cameByProxy(response.req)) restAfter(response);
    refuse(response);
  });

  return {
    admit(request, response, answer) {
      if (urgentPaths.has(pathOf(request))) return admitUrgent(response, answer);
      if (hasBody(request)) return answer();
      const key = keyOf(request);
      const turnAway = () => {
        noteRefusal('overload');
        refuseLater(response);
      };
      if (isHopeless(key)) return turnAway();
      queue.ask(
        key,
        (place) => {
          if (request.socket.destroyed) return place.leave(0);
          start(place, request, response);
          answer();
        },
        turnAway,
      );
    },

    async enter(request, response, purpose) {
      if (tickets.has(request)) return;
      const key = keyOf(request, purpose);
      try {
        if (isHopeless(key)) throw overloaded();
        start(await queue.enter(key), request, response);
      } catch (error) {
        noteRefusal('overload');
        throw error;
      }
      if (request.socket.destroyed) leave(request);
    },

    noteConnection: turns.noteConnection,
    isKnown: (request) => credentials.find(request) !== undefined,

    attribute(request, caller) {
      const key = 'brandId' in caller ? `workspace ${caller.brandId}` : caller.kind;
      if (key !== OPERATOR && !('brandId' in caller)) return;
      credentials.note(request, key);
      const place = tickets.get(request)?.place;
      if (!place || place.key === key) return;
      if (isStranger(place.key)) strangers -= 1;
      place.move(key);
    },

    leave,
    measure,
    stop: stopMeasuring,
  };
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Divides the active time of the event loop among the running requests. */
function chargeRunning(running: () => number): () => number {
  let charged = 0;
  let active = performance.eventLoopUtilization().active;
  return () => {
    const now = performance.eventLoopUtilization().active;
    charged += (now - active) / Math.max(1, running());
    active = now;
    return charged;
  };
}

const credentialOf = ({ headers }: IncomingMessage): string | undefined =>
  [headers['x-admin-key']].flat()[0] ?? headers.authorization ?? headers.cookie;

/** Maps credentials to keys by their hash. The plain credential is kept only with its connection. */
function rememberCredentials() {
  const bySocket = new WeakMap<Socket, { credential: string; key: string }>();
  const byHash = rememberRecent<string>(REMEMBERED_CREDENTIALS);
  return {
    find(request: IncomingMessage): string | undefined {
      const credential = credentialOf(request);
      if (credential === undefined) return undefined;
      const known = bySocket.get(request.socket);
      if (known?.credential === credential) return known.key;
      const key = byHash.get(hash('sha256', credential, 'base64'));
      if (key !== undefined) bySocket.set(request.socket, { credential, key });
      return key;
    },
    note(request: IncomingMessage, key: string): void {
      const credential = credentialOf(request);
      if (credential === undefined) return;
      const known = bySocket.get(request.socket);
      if (known?.credential === credential && known.key === key) return;
      bySocket.set(request.socket, { credential, key });
      byHash.set(hash('sha256', credential, 'base64'), key);
    },
  };
}

/**
 * Limits the work started per turn of the event loop. libuv accepts one connection per turn, so turns without
 * new work are inserted while connections arrive. Otherwise new connections would wait for seconds.
 */
function takeTurns(nextTurn: () => void) {
  let began: number | undefined;
  let isAccepting = false;
  let restingTurns = 0;
  const end = () => {
    if (isAccepting && restingTurns < MOST_RESTING_TURNS) {
      isAccepting = false;
      restingTurns += 1;
      setImmediate(end);
      return;
    }
    restingTurns = 0;
    began = undefined;
    nextTurn();
  };
  return {
    hasTime(): boolean {
      if (began === undefined) {
        began = performance.now();
        setImmediate(end);
      }
      return restingTurns === 0 && performance.now() - began < TURN_MS;
    },
    noteConnection(): void {
      isAccepting = true;
    },
  };
}

/**
 * Spreads work over later turns. With 1,000 busy connections libuv keeps reading, so immediate rejections to
 * callers that retry at once would block timers for seconds.
 */
function spread<T>(work: (item: T) => void): (item: T) => void {
  const items: T[] = [];
  const some = () => {
    const began = performance.now();
    while (items.length > 0 && performance.now() - began < TURN_MS) work(items.shift()!);
    if (items.length > 0) setImmediate(some);
  };
  return (item) => {
    if (items.push(item) === 1) setImmediate(some);
  };
}

/** Pauses a connection, so that callers that retry at once do not keep the service busy with rejections. */
function restAfter(response: ServerResponse): void {
  const { socket } = response.req;
  response.once('finish', () =>
    // Runs on the next tick, because Node resumes the connection itself after a response.
    process.nextTick(() => {
      if (socket.destroyed) return;
      socket.pause();
      setTimeout(() => socket.resume(), REST_MS).unref();
    }),
  );
}

function measureLoad(everyMs: number, take: (load: Load) => void): () => void {
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delays.enable();
  let measuredAt = performance.now();
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(used);
    const processorShare = (user + system) / 1000 / (now - measuredAt);
    const loopDelayMs = delays.percentile(95) / 1e6 - DELAY_RESOLUTION_MS;
    delays.reset();
    measuredAt = now;
    used = process.cpuUsage();
    take({ loopDelayMs, processorShare });
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    delays.disable();
  };
}

function announceOverload(log: Log) {
  let calm = CALM_MEASUREMENTS;
  let total = 0;
  return (refused: number, state: Record<string, number>) => {
    total += refused;
    if (refused > 0) {
      if (calm >= CALM_MEASUREMENTS) log.warn(state, 'Requests are refused: the service is overloaded');
      calm = 0;
    } else if (calm < CALM_MEASUREMENTS && ++calm === CALM_MEASUREMENTS) {
      log.info({ refused: total }, 'No request is refused any more');
      total = 0;
    }
  };
}
