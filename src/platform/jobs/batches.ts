import { endsWithin } from '../../kernel/async.js';

const AT_ONCE = 1000;

/** Deletes due rows in batches, so that no statement holds its locks for long. Returns their number. */
export async function sweepInBatches(
  signal: AbortSignal,
  removeSome: (limit: number) => Promise<number>,
): Promise<number> {
  let swept = 0;
  for (let last = AT_ONCE; last === AT_ONCE && !signal.aborted; swept += last)
    last = await removeSome(AT_ONCE);
  return swept;
}

interface RoundRobinOptions<T extends { brand_id: number }> {
  /** Number of workspaces processed at once. */
  atOnce: number;
  signal: AbortSignal;
  /** Claims work of the first workspace after `after` that is not in `busy`. */
  claimNext(place: { after: number; busy: readonly number[] }): Promise<T | undefined>;
  work(claimed: T): Promise<void>;
  /** Runs after every start and end. */
  between?(): Promise<void>;
}

/** Another workspace's work may become due in the meantime. */
const LOOK_AGAIN_MS = 1000;

/**
 * Works for several workspaces at once, one item each in round-robin order, so that no workspace waits for
 * another's whole queue.
 */
export async function runRoundRobin<T extends { brand_id: number }>({
  atOnce,
  signal,
  claimNext,
  work,
  between,
}: RoundRobinOptions<T>): Promise<void> {
  const busy = new Map<number, Promise<void>>();
  let after = 0;

  async function claim(): Promise<T | undefined> {
    const keys = [...busy.keys()];
    return (
      (await claimNext({ after, busy: keys })) ??
      (after > 0 ? claimNext({ after: 0, busy: keys }) : undefined)
    );
  }

  try {
    while (!signal.aborted) {
      const busyBefore = busy.size;
      const claimed = busy.size < atOnce ? await claim() : undefined;
      if (claimed) {
        const { brand_id } = claimed;
        after = brand_id;
        busy.set(
          brand_id,
          work(claimed).finally(() => busy.delete(brand_id)),
        );
      } else if (busyBefore === 0) return;
      // Waits only if no work ended during the claim, because the claim skipped that workspace.
      else if (busy.size === busyBefore) await endsWithin(LOOK_AGAIN_MS, Promise.race(busy.values()));
      await between?.();
    }
  } finally {
    await Promise.all(busy.values());
  }
}
