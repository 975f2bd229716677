import type { Db } from '../../database/database.js';
import type { Log } from '../../kernel/log.js';
import { credentialStore } from './identity.store.js';

const WRITE_EVERY_MS = 10_000;

/** When tokens were last used, gathered in memory and written in batches: a request does not wait for it. */
export class TokenUses {
  #uses = new Map<string, Date>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Db,
    private readonly log: Log,
  ) {}

  note(tokenId: string, at: Date): void {
    this.#uses.set(tokenId, at);
  }

  start(): void {
    this.#timer = setInterval(() => void this.write(), WRITE_EVERY_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async write(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await credentialStore(this.db).recordTokenUse(uses);
    } catch (error) {
      this.log.warn({ err: error }, 'token uses could not be written; they are kept for the next attempt');
      for (const [tokenId, at] of uses) if (!this.#uses.has(tokenId)) this.#uses.set(tokenId, at);
    }
  }
}
