import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import pg from 'pg';
import type { Log } from '../kernel/log.js';
import { clientConfig, type DatabaseAddress } from './connection.js';
import type { Db, Tx } from './database.js';

export interface NotificationsOptions extends DatabaseAddress {
  log: Log;
}

type Handler<T> = (payload: T) => void | Promise<void>;

interface Message {
  channel: string;
  payload: unknown;
}

/** All topics travel on one channel of the server, so that subscribing needs no round trip. */
const SERVER_CHANNEL = 'guildhall';
const ECHO = 'echo';
const LARGEST_MESSAGE = 7999;
const FLUSH_TIMEOUT_MS = 1000;
const HEARTBEAT_MS = 15_000;
const HEARTBEAT_TIMEOUT_MS = 5000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

/** Tells every node what happened, by way of the database: a message leaves with the commit of the transaction it was published in. */
export class Notifications {
  #options: NotificationsOptions;
  #client: pg.Client | undefined;
  #handlers = new Map<string, Set<Handler<never>>>();
  #gapCallbacks = new Set<() => void>();
  #echoes = new Map<string, () => void>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = true;
  #lastQuestion: Promise<unknown> = Promise.resolve();

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  /** Whether messages reach this node at the moment. While they do not, nothing remembered can be trusted. */
  get healthy(): boolean {
    return this.#client !== undefined;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    await this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async publish(db: Db | Tx, channel: string, payload: string | object): Promise<void> {
    const message = JSON.stringify({ channel, payload } satisfies Message);
    if (Buffer.byteLength(message) > LARGEST_MESSAGE)
      throw new Error(`A notification on ${channel} is too long`);
    await sql`select pg_notify(${SERVER_CHANNEL}, ${message})`.execute(db);
  }

  /** `handler` sees the messages of all nodes, this one's too, in the order of their commits. */
  subscribe<T = unknown>(channel: string, handler: Handler<T>): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers);
    handlers.add(handler);
    return () => handlers.delete(handler);
  }

  /** `callback` runs when messages may have been missed: whatever they would have corrected must be forgotten. */
  onGap(callback: () => void): () => void {
    this.#gapCallbacks.add(callback);
    return () => this.#gapCallbacks.delete(callback);
  }

  /**
   * Waits until this node has received everything that was committed before the call, at most a second.
   * The listening connection notifies itself: the server delivers in the order of commits. False: it did not come back.
   */
  async flush(): Promise<boolean> {
    const client = this.#client;
    if (!client) return false;
    const id = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    const received = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), FLUSH_TIMEOUT_MS);
      this.#echoes.set(id, () => resolve(true));
      const message = JSON.stringify({ channel: ECHO, payload: id } satisfies Message);
      this.#ask(client, { text: 'select pg_notify($1, $2)', values: [SERVER_CHANNEL, message] }).catch(() =>
        resolve(false),
      );
    });
    try {
      return await received;
    } finally {
      clearTimeout(timer);
      this.#echoes.delete(id);
    }
  }

  /** One question after the other: a single connection does not take several at once. */
  #ask(client: pg.Client, question: pg.QueryConfig): Promise<unknown> {
    const answer = this.#lastQuestion.catch(() => {}).then(() => client.query(question));
    this.#lastQuestion = answer;
    return answer;
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({ ...clientConfig(this.#options), application_name: 'guildhall-listener' });
    client.on('notification', ({ payload }) => this.#deliver(payload ?? ''));
    client.on('error', () => {});
    client.on('end', () => this.#lose(client));
    try {
      await client.connect();
      await client.query(`listen ${SERVER_CHANNEL}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    if (this.#stopped) {
      await client.end();
      return;
    }
    this.#lastQuestion = Promise.resolve();
    this.#client = client;
    this.#scheduleHeartbeat(client);
  }

  /** A connection can die without a sign; only a question finds out. */
  #scheduleHeartbeat(client: pg.Client): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const question = { text: 'select 1', query_timeout: HEARTBEAT_TIMEOUT_MS } as pg.QueryConfig;
      const alive = await this.#ask(client, question).then(
        () => true,
        () => false,
      );
      if (this.#client !== client) return;
      if (alive) return this.#scheduleHeartbeat(client);
      this.#lose(client);
      void client.end().catch(() => {});
    }, HEARTBEAT_MS);
    this.#timer.unref();
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#options.log.warn('The connection for notifications was lost');
    this.#scheduleRetry(FIRST_RETRY_MS);
  }

  #scheduleRetry(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      try {
        await this.#listen();
      } catch (error) {
        if (this.#stopped) return;
        this.#options.log.warn({ err: error }, 'Notifications cannot be received');
        this.#scheduleRetry(Math.min(delayMs * 2, LONGEST_RETRY_MS));
        return;
      }
      if (!this.#stopped) this.#reportGap();
    }, delayMs);
    this.#timer.unref();
  }

  #reportGap(): void {
    this.#options.log.info('Notifications are received again');
    for (const callback of this.#gapCallbacks) this.#guard(callback);
  }

  #deliver(text: string): void {
    this.#guard(() => {
      const { channel, payload } = JSON.parse(text) as Message;
      if (channel === ECHO) return this.#echoes.get(String(payload))?.();
      for (const handler of this.#handlers.get(channel) ?? []) {
        this.#guard(() => handler(payload as never));
      }
    });
  }

  /** One subscriber's failure is not the others'. */
  #guard(action: () => void | Promise<void>): void {
    const report = (error: unknown) =>
      this.#options.log.error({ err: error }, 'A notification could not be handled');
    try {
      Promise.resolve(action()).catch(report);
    } catch (error) {
      report(error);
    }
  }
}
