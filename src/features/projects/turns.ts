/** Lets so many work at once, and of one workspace so many: whoever asks for much waits for itself, not the others for it. */
export interface Turns {
  /** Runs `work` when its turn has come; gives up waiting when the signal ends. */
  take<T>(brandId: number, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
}

interface Waiting {
  brandId: number;
  start(): void;
}

export function createTurns({ atOnce, perWorkspace }: { atOnce: number; perWorkspace: number }): Turns {
  const running = new Map<number, number>();
  const queue: Waiting[] = [];
  let busy = 0;

  const runningOf = (brandId: number) => running.get(brandId) ?? 0;

  /** The workspace that has the least under way comes first, then whoever waits longest. */
  function next(): Waiting | undefined {
    let chosen: Waiting | undefined;
    for (const waiting of queue) {
      const count = runningOf(waiting.brandId);
      if (count < perWorkspace && (!chosen || count < runningOf(chosen.brandId))) chosen = waiting;
    }
    return chosen;
  }

  function startWaiting(): void {
    while (busy < atOnce) {
      const chosen = next();
      if (!chosen) return;
      queue.splice(queue.indexOf(chosen), 1);
      chosen.start();
    }
  }

  function enter(brandId: number): void {
    busy++;
    running.set(brandId, runningOf(brandId) + 1);
  }

  function leave(brandId: number): void {
    busy--;
    const left = runningOf(brandId) - 1;
    if (left === 0) running.delete(brandId);
    else running.set(brandId, left);
    startWaiting();
  }

  return {
    async take(brandId, signal, work) {
      signal?.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const giveUp = () => {
          queue.splice(queue.indexOf(waiting), 1);
          reject(signal!.reason);
        };
        const waiting: Waiting = {
          brandId,
          start() {
            signal?.removeEventListener('abort', giveUp);
            enter(brandId);
            resolve();
          },
        };
        signal?.addEventListener('abort', giveUp, { once: true });
        queue.push(waiting);
        startWaiting();
      });
      try {
        return await work();
      } finally {
        leave(brandId);
      }
    },
  };
}
