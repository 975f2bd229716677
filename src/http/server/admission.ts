import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../kernel/log.js';
import { rememberRecent } from '../../kernel/recent.js';
import { type Arrivals, createArrivals } from './arrivals.js';
import { createLoopTurns } from './loop-turns.js';
import { createRefusedConnections, type RefusedConnections } from './refused-connections.js';

export type RefusalReason = 'overload' | 'share' | 'stale' | 'streams';

export interface AdmissionOptions {
  /** Paths that go first, as they are asked for: the general rule never refuses them. */
  urgentPaths: ReadonlySet<string>;
  /** For how many milliseconds the oldest request has waited for a connection to the database. */
  databaseWaitMs(): number;
  refuse(response: ServerResponse): void;
  /** Whether it came by a proxy, whose connections carry the requests of many. */
  cameByProxy?(request: IncomingMessage): boolean;
  onRefused?(reason: RefusalReason): void;
  log: Log;
  refusedConnections?: RefusedConnections;
  /** How long connections waited to be taken; of no matter where nobody notes them. */
  arrivals?: Arrivals;
}

/** Decides, before anything of a request is looked at but its head, whether it is taken. */
export interface Admission {
  /** Has it answered as soon as there is time, or refuses it. */
  admit(request: IncomingMessage, response: ServerResponse, answer: () => void): void;
  /** Once it is known who asks: the request counts for the workspace, and so do later ones with the same credential. */
  attribute(request: IncomingMessage, brandId: number): void;
  /** A stream lasts as long as its reader likes: it no longer counts as being under way. */
  letStream(request: IncomingMessage): void;
  /** Looks how late everything is; a timer does it, and tests. */
  measure(loopDelayMs: number): void;
  stop(): void;
}

const MEASURE_EVERY_MS = 100;
const LATE_LOOP_MS = 200;
const LATE_DATABASE_MS = 200;
/** Whoever has waited so long before it was read would be answered too late. */
const LONGEST_WAIT_MS = 400;
/** A turn of the loop that takes so long has read too much at once. */
const CROWDED_LOOP_MS = 20;
/**
 * How many requests may be under way at once: fewer while things are late, and slowly more again when they are not. So few that
 * they cannot be the reason for it are never refused: a machine that is busy with something else is slow, and not overloaded.
 */
const FEWEST = 128;
const MOST = 256;
const LESS = 0.7;
const MORE = 8;
const MOST_URGENT = 512;
/** The part of what may be under way that one workspace gets while nobody else asks. */
const ALONE = 0.75;
const REMEMBERED_CREDENTIALS = 10_000;
/** Without a refusal for so many looks it is over. */
const CALM_LOOKS = 50;
/** Whoever is not known yet shares what one workspace gets. */
const STRANGERS = 0;

interface Ticket {
  group: number;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { urgentPaths, databaseWaitMs, refuse, onRefused, cameByProxy = () => false, log } = options;
  const { refusedConnections = createRefusedConnections(cameByProxy), arrivals = createArrivals(() => 1) } =
    options;
  const tickets = new WeakMap<IncomingMessage, Ticket>();
  const groups = new Map<number, number>();
  const workspaces = rememberRecent<{ brandId: number }>(REMEMBERED_CREDENTIALS);
  let most = MOST / 2;
  let underWay = 0;
  let urgent = 0;
  let refused = 0;
  let calm = CALM_LOOKS;
  let refusedAtLastLook = 0;

  const turns = createLoopTurns(() => underWay >= FEWEST);
  const isBusy = () => underWay >= most / 2;
  /** A newcomer always finds room: whoever asks for little is not held up by whoever asks for much. */
  const share = () => (groups.size < 2 ? most * ALONE : most / (groups.size + 1));

  const enter = (group: number) => groups.set(group, (groups.get(group) ?? 0) + 1);
  const leave = (group: number) => {
    const rest = (groups.get(group) ?? 0) - 1;
    if (rest > 0) groups.set(group, rest);
    else groups.delete(group);
  };

  const end = (request: IncomingMessage) => {
    const ticket = tickets.get(request);
    if (!ticket) return;
    tickets.delete(request);
    underWay -= 1;
    leave(ticket.group);
  };

  const admitUrgent = (response: ServerResponse): RefusalReason | undefined => {
    if (urgent >= MOST_URGENT) return 'overload';
    urgent += 1;
    response.once('close', () => {
      urgent -= 1;
    });
    return undefined;
  };

  const admitUsual = (request: IncomingMessage, response: ServerResponse): RefusalReason | undefined => {
    if (underWay >= most) return 'overload';
    const group = isBusy() ? (workspaces.get(credentialKey(request))?.brandId ?? STRANGERS) : STRANGERS;
    if (isBusy() && (groups.get(group) ?? 0) >= share()) return 'share';
    if (arrivals.waitedMs(request) > LONGEST_WAIT_MS) return 'overload';
    if (refusedConnections.waitedMs(request) > LONGEST_WAIT_MS) return 'stale';
    underWay += 1;
    enter(group);
    tickets.set(request, { group });
    response.once('close', () => end(request));
    return undefined;
  };

  const measure = (loopDelayMs: number) => {
    const isLate = loopDelayMs > LATE_LOOP_MS || databaseWaitMs() > LATE_DATABASE_MS;
    refusedConnections.look(loopDelayMs > CROWDED_LOOP_MS);
    most = isLate ? Math.max(FEWEST, Math.floor(most * LESS)) : Math.min(MOST, most + MORE);
    if (refused > refusedAtLastLook) {
      if (calm >= CALM_LOOKS)
        log.warn({ most, underWay }, 'Requests are refused: more come than can be served');
      calm = 0;
    } else if (++calm === CALM_LOOKS) {
      log.info({ refused }, 'No request is refused any more');
      refused = 0;
    }
    refusedAtLastLook = refused;
  };

  let lookedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    measure(now - lookedAt - MEASURE_EVERY_MS);
    lookedAt = now;
  }, MEASURE_EVERY_MS);
  timer.unref();

  return {
    admit(request, response, answer) {
      const turnAway = (reason: RefusalReason) => {
        refused += 1;
        onRefused?.(reason);
        // There is room again: whoever is refused only for having waited is heard as soon as they ask anew.
        if (reason !== 'stale') refusedConnections.pause(request, response);
        refuse(response);
      };
      const isUrgent = urgentPaths.has(pathOf(request));
      const reason = isUrgent ? admitUrgent(response) : admitUsual(request, response);
      if (reason) turnAway(reason);
      else if (isUrgent) answer();
      else turns.run(answer, () => turnAway('overload'));
    },

    attribute(request, brandId) {
      const ticket = tickets.get(request);
      if (!ticket || ticket.group === brandId) return;
      leave(ticket.group);
      enter(brandId);
      ticket.group = brandId;
      if (isBusy()) workspaces.set(credentialKey(request), { brandId });
    },

    letStream: end,
    measure,
    stop() {
      clearInterval(timer);
      refusedConnections.stop();
    },
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Credentials themselves are kept nowhere. */
const credentialKey = ({ headers }: IncomingMessage): string =>
  hash('sha256', headers.authorization ?? headers.cookie ?? '', 'base64');
