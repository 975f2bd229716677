import type { Log } from '../../../kernel/log.js';
import { rememberRecent } from '../../../platform/cache/cache.js';

const MOST_CREDENTIALS = 20_000;

export type CredentialCache<T extends object> = ReturnType<typeof createCredentialCache<T>>;

type Load<T> = (hash: string) => Promise<T | undefined>;

/**
 * Caches recently used credentials. Every change of identities clears it on all nodes; a node that cannot
 * receive changes bypasses it.
 */
export function createCredentialCache<T extends object>(hearsChanges: () => boolean) {
  const entries = rememberRecent<T>(MOST_CREDENTIALS);
  let generation = 0;

  const lookUp = async (hash: string, load: Load<T>): Promise<T | undefined> => {
    const startedIn = generation;
    const loaded = await load(hash);
    // A value read before a change must not be cached after it.
    if (loaded && startedIn === generation) entries.set(hash, loaded);
    return loaded;
  };

  return {
    find(hash: string, load: Load<T>): T | undefined | Promise<T | undefined> {
      if (!hearsChanges()) return load(hash);
      return entries.get(hash) ?? lookUp(hash, load);
    },

    forget: (hash: string): void => void entries.delete(hash),

    clear(): void {
      generation += 1;
      entries.clear();
    },
  };
}

const WRITE_EVERY_MS = 10_000;

export type UseRecorder<T> = ReturnType<typeof createUseRecorder<T>>;

/** Collects in memory when credentials were last used and writes it in batches, so that no request waits for it. */
export function createUseRecorder<T>(record: (uses: Map<string, T>) => Promise<void>, log: Log) {
  let collected = new Map<string, T>();
  let beingWritten = new Map<string, T>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    if (collected.size === 0) return;
    const uses = collected;
    collected = new Map();
    beingWritten = uses;
    try {
      await record(uses);
      if (beingWritten === uses) beingWritten = new Map();
    } catch (error) {
      log.warn({ err: error }, 'Writing when credentials were used failed and will be retried');
      for (const [id, use] of uses) if (!collected.has(id)) collected.set(id, use);
    }
  }

  return {
    add: (id: string, use: T): void => void collected.set(id, use),
    latest: (id: string): T | undefined => collected.get(id) ?? beingWritten.get(id),
    write,
    start(): void {
      timer = setInterval(() => void write(), WRITE_EVERY_MS).unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      await write();
    },
  };
}
