/** How many messages are on their way to one receiver at a time, while it answers quickly. */
const ROOM = 8;
/** In flight on one node: those that may still turn out quick, and those that have proved slow. */
const MOST_QUICK = 64;
const MOST_SLOW = 192;
const SLOW_AFTER_MS = 1000;
const MOST_REMEMBERED = 1000;

interface Lane {
  inFlight: number;
  slow: boolean;
}

/** What may be claimed now. */
export interface Capacity {
  total: number;
  /** Of a receiver that is not named. */
  room: number;
  receivers: string[];
  rooms: number[];
}

/**
 * Keeps receivers out of each other's way. Everybody has a few places of their own; who takes long has one, and what
 * takes long no longer counts among the quick, so that the slow ones together cannot use up the places of the others.
 */
export function createLanes() {
  const lanes = new Map<string, Lane>();
  let quick = 0;
  let slow = 0;

  function enter(receiver: string): Lane {
    const lane = lanes.get(receiver) ?? { inFlight: 0, slow: false };
    lanes.set(receiver, lane);
    lane.inFlight += 1;
    quick += 1;
    return lane;
  }

  function leave(receiver: string, lane: Lane, tookLong: boolean): void {
    lane.inFlight -= 1;
    lane.slow = tookLong;
    if (tookLong) slow -= 1;
    else quick -= 1;
    const isForgotten = !lane.slow || lanes.size > MOST_REMEMBERED;
    if (lane.inFlight === 0 && isForgotten) lanes.delete(receiver);
  }

  function roomIn(lane: Lane): number {
    const most = lane.slow ? (slow < MOST_SLOW ? 1 : 0) : ROOM;
    return Math.max(0, most - lane.inFlight);
  }

  return {
    /** Somebody may be waiting for a place that is taken. */
    isCrowded: (): boolean =>
      quick >= MOST_QUICK || [...lanes.values()].some((lane) => lane.inFlight > 0 && roomIn(lane) === 0),

    capacity(): Capacity {
      return {
        total: MOST_QUICK - quick,
        room: ROOM,
        receivers: [...lanes.keys()],
        rooms: [...lanes.values()].map(roomIn),
      };
    },

    /** Runs the work as one that is on its way to the receiver. */
    async run<T>(receiver: string, work: () => Promise<T>): Promise<T> {
      const lane = enter(receiver);
      let tookLong = false;
      const timer = setTimeout(() => {
        tookLong = true;
        lane.slow = true;
        quick -= 1;
        slow += 1;
      }, SLOW_AFTER_MS);
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        leave(receiver, lane, tookLong);
      }
    },
  };
}
