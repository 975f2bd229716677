import { LRUCache } from 'lru-cache';

/** A desk that does not follow a cancel order at once is told again, but not in circles. */
const TELL_AGAIN_MS = 5_000;

/** Which cancel orders a desk was given by this node a moment ago: they are no reason to answer it at once. */
export function createToldOrders() {
  const told = new LRUCache<string, true>({ max: 10_000, ttl: TELL_AGAIN_MS });
  const keyOf = (deskId: string, buildId: string) => `${deskId} ${buildId}`;
  return {
    tellAgainMs: TELL_AGAIN_MS,
    isNews: (deskId: string, buildId: string): boolean => !told.has(keyOf(deskId, buildId)),
    note: (deskId: string, buildId: string): void => void told.set(keyOf(deskId, buildId), true),
  };
}
