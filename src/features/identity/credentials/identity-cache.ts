import { rememberRecent } from '../../../kernel/recent.js';

const MOST_CREDENTIALS = 20_000;

export type IdentityCache<T extends object> = ReturnType<typeof createIdentityCache<T>>;

type Load<T> = (hash: string) => Promise<T | undefined>;

/**
 * Credentials that were looked up lately. Every change of identities empties it on all nodes (the news travels with the
 * commit), and a node that cannot hear the news looks everything up.
 */
export function createIdentityCache<T extends object>(canHearNews: () => boolean) {
  const entries = rememberRecent<T>(MOST_CREDENTIALS);
  let generation = 0;

  const lookUp = async (hash: string, load: Load<T>): Promise<T | undefined> => {
    const begun = generation;
    const loaded = await load(hash);
    // What was read before a change must not be remembered after it.
    if (loaded && begun === generation) entries.set(hash, loaded);
    return loaded;
  };

  return {
    /** At once what is known, which is what nearly every request brings. */
    find(hash: string, load: Load<T>): T | undefined | Promise<T | undefined> {
      if (!canHearNews()) return load(hash);
      return entries.get(hash) ?? lookUp(hash, load);
    },

    /** The next time it is looked up. */
    forget: (hash: string): void => void entries.delete(hash),

    clear(): void {
      generation += 1;
      entries.clear();
    },
  };
}
