import type { Db } from '../../../database/database.js';
import type { Log } from '../../../kernel/log.js';
import { credentialStore } from './credentials.store.js';

const WRITE_EVERY_MS = 10_000;

export type TokenUses = ReturnType<typeof createTokenUses>;

/** When tokens were last used, gathered in memory and written in batches: a request does not wait for it. */
export function createTokenUses(db: Db, log: Log) {
  let gathered = new Map<string, Date>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    if (gathered.size === 0) return;
    const uses = gathered;
    gathered = new Map();
    try {
      await credentialStore(db).recordTokenUse(uses);
    } catch (error) {
      log.warn({ err: error }, 'token uses could not be written; they are kept for the next attempt');
      for (const [tokenId, at] of uses) if (!gathered.has(tokenId)) gathered.set(tokenId, at);
    }
  }

  return {
    note: (tokenId: string, at: Date): void => void gathered.set(tokenId, at),
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
