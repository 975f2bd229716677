import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import { createClient, type DatabaseAddress } from './connection.js';

/**
 * Locks for long work that mostly waits. They use a separate connection, so that they do not occupy the pool.
 */
export interface SessionLocks {
  /**
   * Runs `work` while no other node or caller holds the name. Its signal aborts when the lock is lost or when
   * `signal` aborts.
   */
  hold<T>(
    name: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

const TRY_AGAIN_MS = 250;
const ANSWER_MS = 5000;

interface Session {
  client: pg.Client;
  lost: AbortController;
}

export function createSessionLocks({ log, ...address }: DatabaseAddress & { log: Log }): SessionLocks {
  let opening: Promise<Session> | undefined;
  let lastQuestion: Promise<unknown> = Promise.resolve();
  /** The server grants a session the same lock twice, so callers on this node queue here. */
  const tails = new Map<string, Promise<unknown>>();

  async function connect(): Promise<Session> {
    const client = createClient(address, {
      application_name: 'guildhall-locks',
      query_timeout: ANSWER_MS,
    });
    const session = { client, lost: new AbortController() };
    const lose = () => {
      if (session.lost.signal.aborted) return;
      opening = undefined;
      session.lost.abort(new Error('The connection that held the locks was lost'));
    };
    client.on('error', lose);
    client.on('end', lose);
    await client.connect();
    return session;
  }

  const session = (): Promise<Session> => {
    opening ??= connect().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };

  /** Runs one query at a time on the single connection. */
  function ask({ client }: Session, text: string, name: string): Promise<boolean> {
    const answer = lastQuestion
      .catch(() => {})
      .then(() => client.query<{ done: boolean }>(text, [name]))
      .then(({ rows }) => rows[0]!.done);
    lastQuestion = answer;
    return answer;
  }

  async function holdOnServer<T>(
    name: string,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const held = await session();
    const until = signal ? AbortSignal.any([signal, held.lost.signal]) : held.lost.signal;
    for (;;) {
      until.throwIfAborted();
      if (await ask(held, 'select pg_try_advisory_lock(hashtextextended($1, 0)) as done', name)) break;
      await pause(TRY_AGAIN_MS, undefined, { signal: until });
    }
    try {
      return await work(until);
    } finally {
      await ask(held, 'select pg_advisory_unlock(hashtextextended($1, 0)) as done', name).catch((error) => {
        // The session is closed too, because a lock that cannot be released ends with it.
        if (!held.lost.signal.aborted) log.warn({ err: error }, 'A lock could not be released');
        void held.client.end().catch(() => {});
      });
    }
  }

  return {
    async hold(name, signal, work) {
      const before = tails.get(name) ?? Promise.resolve();
      const mine = before.catch(() => {}).then(() => holdOnServer(name, signal, work));
      tails.set(name, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(name) === mine) tails.delete(name);
      }
    },

    async close() {
      const open = await opening?.catch(() => undefined);
      await open?.client.end().catch(() => {});
    },
  };
}
