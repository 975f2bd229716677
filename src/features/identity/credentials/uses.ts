import type { Log } from '../../../kernel/log.js';

const WRITE_EVERY_MS = 10_000;

export interface Uses<T> {
  note(id: string, use: T): void;
  /** What was noted and is not written yet. */
  latest(id: string): T | undefined;
  write(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

/** When credentials were last used, gathered in memory and written in batches: a request does not wait for it. */
export function createUses<T>(record: (uses: Map<string, T>) => Promise<void>, log: Log): Uses<T> {
  let gathered = new Map<string, T>();
  let beingWritten = new Map<string, T>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    if (gathered.size === 0) return;
    const uses = gathered;
    gathered = new Map();
    beingWritten = uses;
    try {
      await record(uses);
      if (beingWritten === uses) beingWritten = new Map();
    } catch (error) {
      log.warn(
        { err: error },
        'uses of credentials could not be written; they are kept for the next attempt',
      );
      for (const [id, use] of uses) if (!gathered.has(id)) gathered.set(id, use);
    }
  }

  return {
    note: (id, use) => void gathered.set(id, use),
    latest: (id) => gathered.get(id) ?? beingWritten.get(id),
    write,
    start() {
      timer = setInterval(() => void write(), WRITE_EVERY_MS).unref();
    },
    async stop() {
      clearInterval(timer);
      await write();
    },
  };
}
