import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How long connections may have waited until they were taken. */
export interface Arrivals {
  /** This one was taken just now. */
  note(socket: Socket): void;
  /** For how many milliseconds the request may have waited for its connection to be taken; 0 for one that came after that. */
  waitedMs(request: IncomingMessage): number;
}

/** With fewer ways in, a turn that takes as many as there are tells nothing. */
const FEWEST_WAYS = 8;
/** What is read so soon after its connection was taken may have been there before. */
const AT_ONCE_MS = 250;

/**
 * A turn of the event loop takes one connection by each way in. As long as every turn takes as many as there are ways, more of them wait
 * outside, first come, first served: who is taken then has waited at most since that began.
 */
export function createArrivals(
  ways: () => number,
  now: () => number = () => performance.now(),
  nextTurn: (work: () => void) => void = setImmediate,
): Arrivals {
  const late = new WeakMap<Socket, { at: number; waitedMs: number }>();
  let inTurn = 0;
  let began = 0;
  let crowdedSince: number | undefined;

  const endTurn = () => {
    const isCrowded = ways() >= FEWEST_WAYS && inTurn >= ways();
    crowdedSince = isCrowded ? (crowdedSince ?? began) : undefined;
    inTurn = 0;
    // Also a turn that takes none has to be seen.
    if (isCrowded) beginTurn();
  };
  const beginTurn = () => {
    began = now();
    nextTurn(endTurn);
  };

  return {
    note(socket) {
      if (inTurn === 0 && crowdedSince === undefined) beginTurn();
      inTurn += 1;
      if (crowdedSince !== undefined) late.set(socket, { at: now(), waitedMs: now() - crowdedSince });
    },

    waitedMs({ socket }) {
      const taken = late.get(socket);
      if (!taken) return 0;
      late.delete(socket);
      return now() - taken.at < AT_ONCE_MS ? taken.waitedMs : 0;
    },
  };
}
