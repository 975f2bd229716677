import { endsWithin } from '../../kernel/deadline.js';

export interface WorkspaceTurns<T extends { brand_id: number }> {
  /** Of so many workspaces at once. */
  atOnce: number;
  signal: AbortSignal;
  /** Claims work of the first workspace after `after` that is none of `busy`. */
  claimNext(place: { after: number; busy: readonly number[] }): Promise<T | undefined>;
  /** Handles its own failures. */
  work(claimed: T): Promise<void>;
  /** Runs whenever something began or ended. */
  between?(): Promise<void>;
}

/** Another workspace's work may have become due while one takes long. */
const LOOK_AGAIN_MS = 1000;

/** Does one piece of work of each workspace at a time, workspaces in turn: nobody waits for another's whole queue. */
export async function runWorkspaceTurns<T extends { brand_id: number }>({
  atOnce,
  signal,
  claimNext,
  work,
  between,
}: WorkspaceTurns<T>): Promise<void> {
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
      // A workspace whose work ended during the claim was left out of it.
      else if (busy.size === busyBefore) await endsWithin(LOOK_AGAIN_MS, Promise.race(busy.values()));
      await between?.();
    }
  } finally {
    await Promise.all(busy.values());
  }
}
