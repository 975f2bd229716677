import { LRUCache } from 'lru-cache';

const MOST_CREDENTIALS = 20_000;

/**
 * Credentials that were looked up lately. Every change of identities empties it on all nodes (the news travels with the
 * commit), and a node that cannot hear the news looks everything up.
 */
export class IdentityCache<T extends object> {
  #entries = new LRUCache<string, T>({ max: MOST_CREDENTIALS });
  #generation = 0;

  constructor(private readonly canHearNews: () => boolean) {}

  async find(hash: string, load: (hash: string) => Promise<T | undefined>): Promise<T | undefined> {
    if (!this.canHearNews()) return load(hash);
    const known = this.#entries.get(hash);
    if (known) return known;
    const generation = this.#generation;
    const loaded = await load(hash);
    // What was read before a change must not be remembered after it.
    if (loaded && generation === this.#generation) this.#entries.set(hash, loaded);
    return loaded;
  }

  clear(): void {
    this.#generation += 1;
    this.#entries.clear();
  }
}
