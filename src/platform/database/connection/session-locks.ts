import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import { createClient, type DatabaseAddress } from './connection.js';

/** Locks for work that takes long and mostly waits: held on one connection of their own, so that no other waits for a connection. */
export interface SessionLocks {
  /** Runs `work` while nobody else, on any node, holds the name. Its signal ends when the lock is lost, or with `signal`. */
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
  /** Aborted when the connection is gone, and with it every lock. */
  lost: AbortController;
}

export function createSessionLocks({ log, ...address }: DatabaseAddress & { log: Log }): SessionLocks {
  let opening: Promise<Session> | undefined;
  let lastQuestion: Promise<unknown> = Promise.resolve();
  /** The server lets a session take a lock twice, so this node queues for itself. */
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

  /** One question after the other: a single connection does not take several at once. */
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
        // Whoever cannot give a lock back gives up the session that holds it.
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
