import { LRUCache } from 'lru-cache';

/** Remembers the so many that were used last. Room for them is taken as they come: `max` of the cache takes all of it at once. */
export const rememberRecent = <V extends object | string | true>(most: number): LRUCache<string, V> =>
  new LRUCache<string, V>({ maxSize: most, sizeCalculation: () => 1 });
