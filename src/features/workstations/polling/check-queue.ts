/** Bounded: a fleet that hangs must not open thousands of connections. */
export function createCheckQueue(mostAtOnce: number, onFailure: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  const waiting: (() => Promise<void>)[] = [];

  function startWaiting(): void {
    while (running.size < mostAtOnce) {
      const next = waiting.shift();
      if (!next) return;
      const work: Promise<void> = next().finally(() => {
        running.delete(work);
        startWaiting();
      });
      running.add(work);
    }
  }

  return {
    waiting: (): number => waiting.length,
    running: (): number => running.size,

    /** Resolves when the work is over, whatever became of it. */
    add(work: () => Promise<void>): Promise<void> {
      return new Promise((resolve) => {
        waiting.push(() => work().catch(onFailure).then(resolve));
        startWaiting();
      });
    },

    /** Forgets what has not begun and waits for what has. */
    async close(): Promise<void> {
      waiting.length = 0;
      await Promise.all([...running]);
    },
  };
}
