import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Connections whose last request was refused, and that are not read for a while. */
export interface RefusedConnections {
  /** Once the refusal is sent, nothing more is read from the connection until its pause is over. */
  pause(request: IncomingMessage, response: ServerResponse): void;
  /** For how many milliseconds the request may have lain unread, because its caller did not wait as it was told; else 0. */
  waitedMs(request: IncomingMessage): number;
  /** Makes the pause longer while the event loop is late or much is refused, and shorter when not; lets go whose pause is over. */
  look(isLate: boolean): void;
  /** Lets all of them go. */
  stop(): void;
}

const FIRST_PAUSE_MS = 100;
/** Less than the answer tells them to wait: whoever does so never notices. */
const LONGEST_PAUSE_MS = 1800;
const LONGER = 2;
const SHORTER = 0.95;
/** So many refusals between two looks take the time of those who are served. */
const MANY_REFUSALS = 50;
/** After a turn that took long, those whose pause is over would all come at once. */
const MOST_AT_ONCE = 150;
/** What is read so soon after the pause, or in one of so many turns, was there before its end: turns may take long. */
const AT_ONCE_MS = 50;
const AT_ONCE_TURNS = 3;

interface Paused {
  socket: Socket;
  since: number;
  until: number;
}

/**
 * Refusing costs little, but whoever asks again at once on thousands of connections makes every turn of the event loop long,
 * and those who were taken wait for many turns. What is not read costs nothing. It has to end within the turn: as long as more
 * than a thousand connections have something to say, libuv reads them again up to 48 times before any timer has its turn.
 */
export function createRefusedConnections(
  cameByProxy: (request: IncomingMessage) => boolean,
  now: () => number = () => performance.now(),
  nextTurn: (work: () => void) => void = setImmediate,
): RefusedConnections {
  const paused: Paused[] = [];
  const letGo = new WeakMap<Socket, { at: number; turn: number; waitedMs: number }>();
  let turn = 0;
  let turnsToCount = 0;
  let pauseMs = 0;
  let refusedSinceLook = 0;

  const readOn = ({ socket, since }: Paused) => {
    if (socket.destroyed) return;
    letGo.set(socket, { at: now(), turn, waitedMs: now() - since });
    socket.resume();
  };

  const countTurn = () => {
    turn += 1;
    turnsToCount -= 1;
    if (turnsToCount > 0) nextTurn(countTurn);
  };
  const countTurns = () => {
    if (turnsToCount === 0) nextTurn(countTurn);
    turnsToCount = AT_ONCE_TURNS;
  };

  return {
    pause(request, response) {
      refusedSinceLook += 1;
      const lastsMs = refusedSinceLook > MANY_REFUSALS ? Math.max(FIRST_PAUSE_MS, pauseMs) : pauseMs;
      // The next request on a proxy's connection may be anybody's.
      if (lastsMs === 0 || cameByProxy(request)) return;
      const { socket } = request;
      // Node itself reads on once it is through with an answer: only after that is there something to stop.
      response.once('finish', () =>
        process.nextTick(() => {
          // Of a request that is longer the rest is read first, to be thrown away.
          if (socket.destroyed || !request.complete) return;
          socket.pause();
          paused.push({ socket, since: now(), until: now() + lastsMs });
        }),
      );
    },

    waitedMs({ socket }) {
      const release = letGo.get(socket);
      if (!release) return 0;
      letGo.delete(socket);
      const isAtOnce = now() - release.at < AT_ONCE_MS || turn - release.turn < AT_ONCE_TURNS;
      return isAtOnce ? release.waitedMs : 0;
    },

    look(isLate) {
      const isCrowded = isLate || refusedSinceLook > MANY_REFUSALS;
      refusedSinceLook = 0;
      if (isCrowded) pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, pauseMs * LONGER));
      else pauseMs = pauseMs * SHORTER < FIRST_PAUSE_MS ? 0 : pauseMs * SHORTER;
      const time = now();
      const due = paused.findIndex(({ until }) => until > time);
      const over = paused.splice(0, Math.min(MOST_AT_ONCE, due < 0 ? paused.length : due));
      if (over.length > 0) countTurns();
      for (const each of over) readOn(each);
    },

    stop() {
      for (const each of paused.splice(0)) readOn(each);
    },
  };
}
