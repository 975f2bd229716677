/** Concurrent messages to one receiver while it responds quickly. */
const PER_RECEIVER = 8;
/** Concurrent messages of one node, counted separately for quick and slow receivers. */
const MOST_QUICK = 64;
const MOST_SLOW = 192;
const SLOW_AFTER_MS = 1000;
const MOST_REMEMBERED = 1000;

interface Load {
  inFlight: number;
  slow: boolean;
}

export interface Capacity {
  total: number;
  perReceiver: number;
  receivers: string[];
  /** Free places of the listed receivers, in the same order. */
  free: number[];
}

/**
 * A slow receiver gets one message at a time, and slow messages have their own limit, so that slow receivers
 * do not block the others.
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
