/** Messages in flight to one receiver while it answers quickly. */
const PER_RECEIVER = 8;
/** In flight on one node: those that may still be quick, and those that are slow. */
const MOST_QUICK = 64;
const MOST_SLOW = 192;
const SLOW_AFTER_MS = 1000;
const MOST_REMEMBERED = 1000;

interface Load {
  inFlight: number;
  slow: boolean;
}

/** What may be claimed now. */
export interface Capacity {
  total: number;
  /** Of each receiver that is not listed. */
  perReceiver: number;
  receivers: string[];
  /** Of the listed receivers, in their order. */
  free: number[];
}

/**
 * Limits the messages in flight per receiver and in total. A slow receiver gets one at a time, and slow messages do not
 * count among the quick ones, so that slow receivers cannot use up the places of the others.
 */
export function createReceiverLimits() {
  const loads = new Map<string, Load>();
  let quick = 0;
  let slow = 0;

  function enter(receiver: string): Load {
    const load = loads.get(receiver) ?? { inFlight: 0, slow: false };
    loads.set(receiver, load);
    load.inFlight += 1;
    quick += 1;
    return load;
  }

  function leave(receiver: string, load: Load, tookLong: boolean): void {
    load.inFlight -= 1;
    load.slow = tookLong;
    if (tookLong) slow -= 1;
    else quick -= 1;
    const isForgotten = !load.slow || loads.size > MOST_REMEMBERED;
    if (load.inFlight === 0 && isForgotten) loads.delete(receiver);
  }

  function freeOf(load: Load): number {
    const most = load.slow ? (slow < MOST_SLOW ? 1 : 0) : PER_RECEIVER;
    return Math.max(0, most - load.inFlight);
  }

  return {
    /** Whether a message may have to wait. */
    isFull: (): boolean =>
      quick >= MOST_QUICK || [...loads.values()].some((load) => load.inFlight > 0 && freeOf(load) === 0),

    capacity(): Capacity {
      return {
        total: MOST_QUICK - quick,
        perReceiver: PER_RECEIVER,
        receivers: [...loads.keys()],
        free: [...loads.values()].map(freeOf),
      };
    },

    /** Counts the work as one message in flight to the receiver. */
    async run<T>(receiver: string, work: () => Promise<T>): Promise<T> {
      const load = enter(receiver);
      let tookLong = false;
      const timer = setTimeout(() => {
        tookLong = true;
        load.slow = true;
        quick -= 1;
        slow += 1;
      }, SLOW_AFTER_MS);
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        leave(receiver, load, tookLong);
      }
    },
  };
}
