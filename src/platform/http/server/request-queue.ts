import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Caller } from '../../../kernel/access.js';
import { OUTAGE_RETRY_SECONDS, unavailable } from '../../../kernel/errors.js';
import { FairQueue, type Place } from '../../../kernel/fair-queue.js';
import type { Log } from '../../../kernel/log.js';
import { networkOf } from '../../../kernel/networks.js';
import { rememberRecent } from '../../../kernel/recent.js';

export type RefusalReason = 'overload' | 'urgent' | 'streams';

export interface RequestQueueOptions {
  /** Paths that bypass the queue: health and what desks report. */
  urgentPaths: ReadonlySet<string>;
  /** For how many milliseconds the oldest request has waited for a connection to the database. */
  databaseWaitMs(): number;
  clientAddressOf(request: IncomingMessage): string;
  /** Whether a trusted proxy passed the request on, whose connections carry the requests of many. */
  cameByProxy(request: IncomingMessage): boolean;
  /** How long a request waits at most. Tests on a busy machine raise it. */
  longestWaitMs?: number;
  /** How many milliseconds the running requests of one workspace may cost together. */
  mostCostOfOne?: number;
  measureEveryMs?: number;
  /** Sends the 503. */
  refuse(response: ServerResponse): void;
  onRefused?(reason: RefusalReason): void;
  log: Log;
}

/** Lets a small number of requests run at once and takes turns between workspaces, weighed by what their requests cost. */
export interface RequestQueue {
  /** Answers the request once it has a place, or refuses it. A request with a body gets its place by `enter`, when the body is complete. */
  admit(request: IncomingMessage, response: ServerResponse, answer: () => void): void;
  /** A connection was accepted. */
  noteConnection(): void;
  /** Waits for a place. Rejects with the 503. Callers without a credential wait in a line for each `purpose`. */
  enter(request: IncomingMessage, response: ServerResponse, purpose?: string): Promise<void>;
  /** Whether the request's credential was seen before, and whose it is. */
  isKnown(request: IncomingMessage): boolean;
  /** Counts the request, and later ones with the same credential, for the caller's workspace. */
  attribute(request: IncomingMessage, caller: Caller): void;
  /** Gives the place back: the request only waits from now on, for its body, for events or for its reader. */
  leave(request: IncomingMessage): void;
  /** Adapts the number of places; a timer calls it, and tests. */
  measure(load: Load): void;
  stop(): void;
}

export interface Load {
  loopDelayMs: number;
  /** How much of one core this process used, from 0. */
  processorShare: number;
}

const FEWEST_PLACES = 8;
const USUAL_PLACES = 64;
const MOST_PLACES = 256;
/** In milliseconds: two large pages of one workspace run at once, or many small reads. */
const MOST_COST_OF_ONE = 40;
/** A workspace without a running request gets a place beyond the others, however few they are. */
const NEWCOMERS = 16;
const MOST_URGENT = 512;
/** The part of the places that one workspace may hold, and that all callers without a known credential may hold together. */
const SHARE_OF_ONE = 0.75;
const SHARE_OF_STRANGERS = 0.5;

/** Together with the time that it takes to serve, less than a second. */
const LONGEST_WAIT_MS = 850;
/**
 * A request that would probably wait longer than this part of the longest wait is refused at once instead of late, once others of its
 * workspace have been waiting for as long. A burst may use the whole wait.
 */
const STANDING_PART = 0.3;
const MOST_WAITING = 5000;

const MEASURE_EVERY_MS = 200;
const DELAY_RESOLUTION_MS = 10;
const LATE_LOOP_MS = 50;
const LATE_DATABASE_MS = 100;
/** Below this, something else keeps the machine busy, and fewer requests at once would not help. */
const OWN_PROCESSOR_SHARE = 0.5;
const SHRINK = 0.7;
const GROW = 1.25;
/** While nothing is late, a request that runs for so long waits for something outside this process. */
const WAITING_AFTER_MS = 500;
/** Requests begin for so long in one turn of the event loop; connections and the database come between two turns. */
const TURN_MS = 10;
const MOST_RESTING_TURNS = 64;
/** What a place is charged for the bytes it wrote. */
const BYTES_PER_MS = 100_000;
const REMEMBERED_CREDENTIALS = 10_000;
/** Without a refusal for so many measurements the overload is over. */
const CALM_MEASUREMENTS = 25;

/** So many refusals between two measurements would take a good part of the event loop's time. */
const FLOOD = 400;
/** Less than `Retry-After` asks for: a caller that waits as told never notices. */
const REST_MS = 500;

const STRANGER = 'network ';
const OPERATOR = 'operator';

/** A request that runs in a place. */
interface Ticket {
  place: Place;
  response: ServerResponse;
  since: number;
  /** What all running requests had been charged when this one began. */
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
    newcomers: NEWCOMERS,
    mostCostPerKey: mostCostOfOne,
    longestWaitMs,
    refuse: overloaded,
    mayStart: (key) =>
      turns.hasTime() && (!isStranger(key) || strangers < Math.max(1, queue.places * SHARE_OF_STRANGERS)),
  });

  /** A credential that is new to this node does not wait behind callers without any. */
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

  /** Node reports the end of a connection on the connection alone for answers that were still queued behind others. */
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

  /** Gives all places back whose requests only wait: for a reader that does not read or for another host. */
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

/** Whether bytes follow the head. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** The time that the event loop worked, divided among the requests that ran meanwhile. */
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

/** Which key a credential belongs to. Credentials themselves are kept nowhere but with their connection. */
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
 * Bounds how much work begins in one turn of the event loop. libuv accepts one connection in a turn, so while connections come in
 * one after the other, turns without new work come between: otherwise those who connect would wait for seconds.
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
 * Does the work in later turns. As long as a thousand connections have something to say, libuv reads them again before any timer has
 * its turn, so a refusal that is sent at once to a caller that asks again at once would hold the loop for seconds.
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

/** Reads nothing from the connection for a while: callers that ask again at once would keep the service busy with refusals. */
function restAfter(response: ServerResponse): void {
  const { socket } = response.req;
  response.once('finish', () =>
    // Node itself resumes the connection when it has sent an answer.
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

/** One line when requests are refused and one when that is over. */
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
