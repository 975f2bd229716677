import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Log } from '../../kernel/log.js';
import { createClient, type DatabaseAddress } from '../connection/connection.js';
import type { Db, Tx } from '../database.js';

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
const LARGEST_MESSAGE = 7999;
const FLUSH_TIMEOUT_MS = 1000;
/** How often a node that hears nothing makes sure that it still would. */
const ECHO_EVERY_MS = 1000;
/** How long an echo is trusted to mean that nothing was missed. */
const TRUST_MS = 2000;
/** A connection that has been silent for so long is given up for a new one. */
const GIVE_UP_MS = 5000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

/** Tells every node what happened, by way of the database: a message leaves with the commit of the transaction it was published in. */
export class Notifications {
  #options: NotificationsOptions;
  #client: pg.Client | undefined;
  #handlers = new Map<string, Set<Handler<never>>>();
  #gapCallbacks = new Set<() => void>();
  /** A channel of the node's own: an echo concerns nobody else. */
  #echoChannel = `guildhall_echo_${randomUUID().replaceAll('-', '')}`;
  #echoes = new Map<string, () => void>();
  #echoCount = 0;
  /** Everything that was committed before this moment has been heard. */
  #heardUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #stopped = true;
  #lastQuestion: Promise<unknown> = Promise.resolve();

  constructor(options: NotificationsOptions) {
    this.#options = options;
  }

  /**
   * Whether messages reach this node at the moment. While they do not, nothing remembered can be trusted. A connection can fall
   * silent without being closed, so being connected is not enough: an echo must have come back lately.
   */
  get healthy(): boolean {
    return this.#client !== undefined && performance.now() - this.#heardUntil <= TRUST_MS;
  }

  /** How long ago it was last known that nothing was missed. */
  get silentMs(): number {
    return performance.now() - this.#heardUntil;
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
    // A silent connection would not even say good-bye.
    await Promise.race([client?.end().catch(() => {}), pause(FLUSH_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async publish(db: Db | Tx, channel: string, payload: string | object): Promise<void> {
    await sql`select ${this.call(channel, payload)}`.execute(db);
  }

  /** The same as a part of a statement, for a write that would otherwise need another one just to be told. */
  call(channel: string, payload: string | object): RawBuilder<unknown> {
    const message = JSON.stringify({ channel, payload } satisfies Message);
    if (Buffer.byteLength(message) > LARGEST_MESSAGE)
      throw new Error(`A notification on ${channel} is too long`);
    return sql`pg_notify(${SERVER_CHANNEL}, ${message})`;
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

  /** Waits until this node has received everything that was committed before the call, at most a second. False: it has not. */
  async flush(): Promise<boolean> {
    return this.healthy && this.#hearEcho(this.#client!, FLUSH_TIMEOUT_MS);
  }

  /** The listening connection notifies itself: the server delivers in the order of commits. False: it did not come back. */
  async #hearEcho(client: pg.Client, timeoutMs: number): Promise<boolean> {
    const id = String(++this.#echoCount);
    const askedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const received = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
      this.#echoes.set(id, () => resolve(true));
      this.#ask(client, { text: 'select pg_notify($1, $2)', values: [this.#echoChannel, id] }).catch(() =>
        resolve(false),
      );
    });
    try {
      const heard = await received;
      if (heard && this.#client === client) this.#heardUntil = Math.max(this.#heardUntil, askedAt);
      return heard;
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

  /** `beforeTrust` runs when messages are received again and before anybody relies on it. */
  async #listen(beforeTrust: () => void = () => {}): Promise<void> {
    const client = createClient(this.#options, { application_name: 'guildhall-listener' });
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === this.#echoChannel) this.#echoes.get(payload)?.();
      else this.#deliver(payload);
    });
    client.on('error', () => {});
    client.on('end', () => this.#lose(client));
    let askedAt: number;
    try {
      await client.connect();
      askedAt = performance.now();
      await client.query(`listen ${SERVER_CHANNEL}; listen ${this.#echoChannel}`);
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
    if (this.#stopped) {
      await client.end();
      return;
    }
    this.#lastQuestion = Promise.resolve();
    beforeTrust();
    this.#client = client;
    this.#heardUntil = askedAt;
    this.#scheduleEcho(client);
  }

  #scheduleEcho(client: pg.Client): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const heard = await this.#hearEcho(client, GIVE_UP_MS);
      if (this.#client !== client) return;
      if (heard) return this.#scheduleEcho(client);
      this.#lose(client);
      void client.end().catch(() => {});
    }, ECHO_EVERY_MS);
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
        await this.#listen(() => this.#reportGap());
      } catch (error) {
        if (this.#stopped) return;
        this.#options.log.warn({ err: error }, 'Notifications cannot be received');
        this.#scheduleRetry(Math.min(delayMs * 2, LONGEST_RETRY_MS));
      }
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
