import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../../database/database.js';

const WAIT_MS = 250;

/**
 * Lets one pass at a time work on a project, on all nodes together. The lock belongs to a connection: when the process dies,
 * it is free, and a pass that still says it is running is known to be abandoned.
 */
export class ProjectLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  constructor(readonly db: Db) {}

  async hold<T>(projectId: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(projectId) ?? Promise.resolve();
    const mine = before.then(
      () => this.#holdOnServer(projectId, signal, work),
      () => this.#holdOnServer(projectId, signal, work),
    );
    this.#tails.set(projectId, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(projectId) === mine) this.#tails.delete(projectId);
    }
  }

  #holdOnServer<T>(projectId: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.db.connection().execute(async (connection) => {
      for (;;) {
        signal?.throwIfAborted();
        const { rows } = await sql<{ held: boolean }>`
          select pg_try_advisory_lock(hashtextextended(${`project-index ${projectId}`}, 0)) as held`.execute(
          connection,
        );
        if (rows[0]!.held) break;
        await pause(WAIT_MS);
      }
      try {
        return await work();
      } finally {
        await sql`select pg_advisory_unlock(hashtextextended(${`project-index ${projectId}`}, 0))`.execute(
          connection,
        );
      }
    });
  }
}
