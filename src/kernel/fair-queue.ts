interface FairQueueOptions {
  places: number;
  mostPerKey?: number;
  /** Work that waits longer fails with `refuse()`. Without this limit, work waits until a place is free. */
  longestWaitMs?: number;
  refuse?: () => Error;
  /** Limits the running work of one key by its usual cost. A key may always run one item. */
  mostCostPerKey?: number;
  /** Extra places for keys that have none when all places are taken. */
  extraPlaces?: number;
  /**
   * Checked before each start, in addition to the limits. After it returned false, call `startWaiting` to try
   * again.
   */
  mayStart?: (key: string) => boolean;
}

export interface Place {
  readonly key: string;
  /** Charges the work to another key, once its owner is known. */
  move(key: string): void;
  /** Frees the place. Further calls do nothing. `cost` defaults to the elapsed milliseconds. */
  leave(cost?: number): void;
}

interface Waiting {
  since: number;
  start(place: Place): void;
  timer: NodeJS.Timeout | undefined;
}

interface Share {
  /** Total cost so far, including the expected cost of running work. */
  used: number;
  usualCost: number;
  running: number;
  waiting: Waiting[];
  waitingSince: number | undefined;
  intervalMs: number;
  startedAt: number | undefined;
}

const MOST_KEYS = 10_000;
const WEIGHT_OF_NEWEST = 0.2;

/**
 * Start-time fair queueing: a free place goes to the waiting key with the least usage. A key that returns
 * after a pause starts level with the others, so that a key gains no credit while idle.
 */
export class FairQueue {
  #places: number;
  #mostPerKey: number;
  readonly #options: FairQueueOptions;
  readonly #shares = new Map<string, Share>();
  #running = 0;
  #inExtraPlaces = 0;
  #waiting = 0;
  /** The usage of the most recently started key at its start. */
  #level = 0;
  #isStarting = false;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#places = options.places;
    this.#mostPerKey = options.mostPerKey ?? options.places;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get places(): number {
    return this.#places;
  }

  resize(places: number, mostPerKey = places): void {
    this.#places = places;
    this.#mostPerKey = mostPerKey;
    this.startWaiting();
  }

  /** Runs the work when the key gets a place. Aborting the signal stops waiting for a place. */
  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const place = await this.enter(key, signal);
    try {
      return await work();
    } finally {
      place.leave();
    }
  }

  enter(key: string, signal?: AbortSignal): Promise<Place> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      let stopWaiting = () => {};
      const giveUp = () => {
        stopWaiting();
        reject(signal!.reason);
      };
      const settle = () => signal?.removeEventListener('abort', giveUp);
      signal?.addEventListener('abort', giveUp, { once: true });
      stopWaiting = this.ask(
        key,
        (place) => {
          settle();
          resolve(place);
        },
        (error) => {
          settle();
          reject(error);
        },
      );
    });
  }

  /**
   * Calls `start` as soon as a place is free, or `refuse` after the longest wait. Call the returned function
   * to stop waiting.
   */
  ask(key: string, start: (place: Place) => void, refuse: (error: Error) => void): () => void {
    const share = this.#shareOf(key);
    if (share.waiting.length === 0 && this.#mayStart(key, share)) {
      start(this.#start(key, share));
      return () => {};
    }
    const waiting: Waiting = { since: performance.now(), start, timer: undefined };
    const stopWaiting = () => {
      const at = share.waiting.indexOf(waiting);
      if (at < 0) return;
      share.waiting.splice(at, 1);
      this.#waiting -= 1;
      clearTimeout(waiting.timer);
      if (share.waiting.length === 0) endWaiting(share);
    };
    const { longestWaitMs } = this.#options;
    if (longestWaitMs !== undefined)
      waiting.timer = setTimeout(() => {
        stopWaiting();
        refuse(this.#options.refuse?.() ?? new Error(`No place within ${longestWaitMs} ms`));
      }, longestWaitMs);
    share.waitingSince ??= waiting.since;
    share.waiting.push(waiting);
    this.#waiting += 1;
    return stopWaiting;
  }

  /**
   * Estimates how long another item of this key would wait, and returns how long the key's queue has existed.
   */
  expectWait(key: string): { expectedMs: number; standingMs: number } {
    const share = this.#shares.get(key);
    const oldest = share?.waiting[0];
    if (!share || !oldest) return { expectedMs: 0, standingMs: 0 };
    const now = performance.now();
    return {
      expectedMs: Math.max(share.waiting.length * share.intervalMs, now - oldest.since),
      standingMs: now - share.waitingSince!,
    };
  }

  startWaiting(): void {
    // Work that ends synchronously re-enters this method from the loop below.
    if (this.#isStarting) return;
    this.#isStarting = true;
    try {
      while (this.#waiting > 0) {
        const next = this.#poorest();
        if (!next) return;
        const [key, share] = next;
        const waiting = share.waiting.shift()!;
        this.#waiting -= 1;
        clearTimeout(waiting.timer);
        waiting.start(this.#start(key, share));
      }
    } finally {
      this.#isStarting = false;
    }
  }

  #shareOf(key: string): Share {
    let share = this.#shares.get(key);
    if (!share) {
      if (this.#shares.size >= MOST_KEYS) this.#forgetIdle();
      share = {
        used: 0,
        usualCost: 0,
        running: 0,
        waiting: [],
        waitingSince: undefined,
        intervalMs: 0,
        startedAt: undefined,
      };
      this.#shares.set(key, share);
    }
    if (isIdle(share)) share.used = Math.max(share.used, this.#level);
    return share;
  }

  #mayStart(key: string, { running, usualCost }: Share): boolean {
    const { mayStart, extraPlaces = 0, mostCostPerKey = Number.POSITIVE_INFINITY } = this.#options;
    const isNew = running === 0;
    const hasPlace = this.#running < this.#places || (isNew && this.#inExtraPlaces < extraPlaces);
    const isAffordable = isNew || (running + 1) * usualCost <= mostCostPerKey;
    return (
      hasPlace && isAffordable && running < this.#mostPerKey && (mayStart === undefined || mayStart(key))
    );
  }

  #start(key: string, share: Share): Place {
    const since = performance.now();
    if (share.startedAt !== undefined) noteInterval(share, since - share.startedAt);
    if (share.waiting.length > 0) share.startedAt = since;
    else endWaiting(share);
    this.#level = share.used;
    const isInExtraPlace = this.#running >= this.#places;
    if (isInExtraPlace) this.#inExtraPlaces += 1;
    this.#running += 1;
    let holder = { key, share, expected: take(share) };
    let hasLeft = false;
    return {
      get key() {
        return holder.key;
      },
      move: (other) => {
        if (hasLeft || other === holder.key) return;
        giveBack(holder.share, holder.expected);
        const next = this.#shareOf(other);
        holder = { key: other, share: next, expected: take(next) };
      },
      leave: (cost = performance.now() - since) => {
        if (hasLeft) return;
        hasLeft = true;
        const { share: own, expected } = holder;
        giveBack(own, expected);
        own.used += cost;
        own.usualCost += (cost - own.usualCost) * WEIGHT_OF_NEWEST;
        this.#running -= 1;
        if (isInExtraPlace) this.#inExtraPlaces -= 1;
        this.startWaiting();
      },
    };
  }

  #poorest(): [string, Share] | undefined {
    let found: [string, Share] | undefined;
    for (const entry of this.#shares) {
      const [key, share] = entry;
      const isBetter = share.waiting.length > 0 && (!found || share.used < found[1].used);
      if (isBetter && this.#mayStart(key, share)) found = entry;
    }
    return found;
  }

  #forgetIdle(): void {
    for (const [key, share] of this.#shares) if (isIdle(share)) this.#shares.delete(key);
  }
}

const isIdle = ({ running, waiting }: Share): boolean => running === 0 && waiting.length === 0;

/** The measurements of one burst do not predict the next. */
function endWaiting(share: Share): void {
  share.waitingSince = undefined;
  share.intervalMs = 0;
  share.startedAt = undefined;
}

function noteInterval(share: Share, milliseconds: number): void {
  if (share.intervalMs === 0) share.intervalMs = milliseconds;
  else share.intervalMs += (milliseconds - share.intervalMs) * WEIGHT_OF_NEWEST;
}

/** Work is charged its usual cost until the actual cost is known. */
function take(share: Share): number {
  share.running += 1;
  share.used += share.usualCost;
  return share.usualCost;
}

function giveBack(share: Share, expected: number): void {
  share.running -= 1;
  share.used -= expected;
}
