import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Log } from '../../kernel/log.js';
import { createClient, type DatabaseAddress } from '../database/connection/connection.js';
import { afterCommit } from '../database/connection/transaction.js';
import type { Db, Tx } from '../database/database.js';
import {
  answerCall,
  beatAndAnswer,
  callRoll,
  channelOf,
  type NodeBeats,
  removeNode,
  removeSilent,
} from './listening-nodes.js';

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
const FAREWELL_MS = 1000;
/** What is announced within this time is sent in one transaction. */
const GATHER_MS = 20;
const MOST_AT_ONCE = 1000;
/** How often a node that hears nothing makes sure that it still would. */
const ECHO_EVERY_MS = 1000;
/** How long an echo is trusted to mean that nothing was missed. */
const TRUST_MS = 2000;
/** After this a node that has not answered trusts nothing any more that it knew before it was asked. */
const ANSWER_MS = TRUST_MS + 100;
/** A connection that has been silent for so long is given up for a new one. */
const GIVE_UP_MS = 5000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;
/** On it a node asks all nodes for a sign that they have handled what came before. */
const ROLL_CALL = 'guildhall_roll_call';

interface RollCall {
  node: string;
  id: string;
}

/** Tells every node what happened, by way of the database. */
export class Notifications {
  #options: NotificationsOptions;
  #client: pg.Client | undefined;
  #handlers = new Map<string, Set<Handler<never>>>();
  #gapCallbacks = new Set<() => void>();
  #node = randomUUID();
  /** Calls that wait for nodes to answer: an echo for this node alone, a roll call for all. */
  #calls = new Map<string, (node: string) => void>();
  #callCount = 0;
  /** Everything that was committed before this moment has been heard. */
  #heardUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #stopped = true;
  /** Announced and not sent yet; what is said twice is sent once. */
  #gathered = new Set<string>();
  #gathering: NodeJS.Timeout | undefined;
  #lastQuestion: Promise<unknown> = Promise.resolve();

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.subscribe<RollCall>(ROLL_CALL, (call) => this.#answer(call));
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
    clearTimeout(this.#gathering);
    // A silent connection would not take it.
    await Promise.race([this.#sendGathered(), pause(FAREWELL_MS, undefined, { ref: false })]);
    const client = this.#client;
    this.#client = undefined;
    // A silent connection would not even say good-bye.
    await Promise.race([client && this.#leave(client), pause(FAREWELL_MS, undefined, { ref: false })]);
  }

  /** Nobody waits for this node any more. */
  async #leave(client: pg.Client): Promise<void> {
    await this.#ask(client, removeNode(this.#node)).catch(() => {});
    await client.end().catch(() => {});
  }

  /** Leaves with the commit of the transaction, or not at all. All commits that carry a message wait for each other. */
  async publish(db: Db | Tx, channel: string, payload: string | object): Promise<void> {
    await sql`select pg_notify(${SERVER_CHANNEL}, ${writeMessage(channel, payload)})`.execute(db);
  }

  /**
   * Leaves a moment after the commit, together with what else was announced, so that no commit waits for another. A node that dies in
   * between never sends it: only for news that readers would find by themselves after a while.
   */
  announce(db: Db | Tx, channel: string, payload: string | object): void {
    const message = writeMessage(channel, payload);
    afterCommit(db, () => this.#gather([message]));
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
   * Waits until every node has handled everything that was committed before the call, or trusts nothing any more that it knew then, which
   * takes two seconds at most. False: this node is not known to have.
   */
  async flush(): Promise<boolean> {
    void this.#sendGathered();
    const id = String(++this.#callCount);
    const answered = new Set<string>();
    let nodes: NodeBeats | undefined;
    await new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, ANSWER_MS);
      const look = () => {
        if (!nodes || Object.keys(nodes).some((node) => !answered.has(node))) return;
        clearTimeout(timer);
        resolve();
      };
      this.#calls.set(id, (node) => {
        answered.add(node);
        look();
      });
      if (!this.healthy) return;
      const message: Message = { channel: ROLL_CALL, payload: { node: this.#node, id } satisfies RollCall };
      this.#ask(this.#client!, callRoll(SERVER_CHANNEL, JSON.stringify(message))).then(
        ({ rows }) => {
          nodes = rows[0].nodes as NodeBeats;
          // What a silent node last made sure of, it made sure of before this moment.
          clearTimeout(timer);
          timer = setTimeout(resolve, ANSWER_MS);
          look();
        },
        () => {},
      );
    });
    this.#calls.delete(id);
    this.#giveUp(Object.entries(nodes ?? {}).filter(([node]) => !answered.has(node)));
    return answered.has(this.#node);
  }

  /** Nodes that gave no sign are not waited for again, unless one of them has made itself heard meanwhile. */
  #giveUp(silent: [node: string, beat: number][]): void {
    if (silent.length === 0 || !this.#client) return;
    this.#options.log.warn({ nodes: silent.map(([node]) => node) }, 'Nodes do not answer; they are given up');
    this.#ask(this.#client, removeSilent(silent)).catch(() => {});
  }

  /** Everything before the call has been handled: messages come in the order of their commits. */
  #answer({ node, id }: RollCall): void {
    if (this.#client) this.#ask(this.#client, answerCall(node, `${id}/${this.#node}`)).catch(() => {});
  }

  /** Asks for all of it at once, so that an echo that is asked for afterwards comes later. Without a connection it waits for the next one. */
  async #sendGathered(): Promise<void> {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const client = this.#client;
    if (!client || this.#gathered.size === 0) return;
    const messages = [...this.#gathered];
    this.#gathered.clear();
    const sent: Promise<void>[] = [];
    for (let at = 0; at < messages.length; at += MOST_AT_ONCE)
      sent.push(this.#sendTogether(client, messages.slice(at, at + MOST_AT_ONCE)));
    await Promise.all(sent);
  }

  async #sendTogether(client: pg.Client, messages: string[]): Promise<void> {
    const text = 'select pg_notify($1, message) from unnest($2::text[]) as message';
    await this.#ask(client, { text, values: [SERVER_CHANNEL, messages] }).catch(() => this.#gather(messages));
  }

  #gather(messages: readonly string[]): void {
    for (const message of messages) this.#gathered.add(message);
    this.#gathering ??= setTimeout(() => void this.#sendGathered(), GATHER_MS);
  }

  /** The listening connection notifies itself: the server delivers in the order of commits. False: it did not come back. */
  async #hearEcho(client: pg.Client, timeoutMs: number): Promise<boolean> {
    const id = String(++this.#callCount);
    const askedAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    const received = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs);
      this.#calls.set(id, () => resolve(true));
      this.#ask(client, beatAndAnswer(this.#node, `${id}/${this.#node}`)).catch(() => resolve(false));
    });
    try {
      const heard = await received;
      if (heard && this.#client === client) this.#heardUntil = Math.max(this.#heardUntil, askedAt);
      return heard;
    } finally {
      clearTimeout(timer);
      this.#calls.delete(id);
    }
  }

  /** One question after the other: a single connection does not take several at once. */
  #ask(client: pg.Client, question: pg.QueryConfig): Promise<pg.QueryResult> {
    const answer = this.#lastQuestion.catch(() => {}).then(() => client.query(question));
    this.#lastQuestion = answer;
    return answer;
  }

  /** `beforeTrust` runs when messages are received again and before anybody relies on it. */
  async #listen(beforeTrust: () => void = () => {}): Promise<void> {
    const client = createClient(this.#options, { application_name: 'guildhall-listener' });
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === SERVER_CHANNEL) return this.#deliver(payload);
      const [id = '', node = ''] = payload.split('/');
      this.#calls.get(id)?.(node);
    });
    client.on('error', () => {});
    client.on('end', () => this.#lose(client));
    let askedAt: number;
    try {
      await client.connect();
      await client.query(`listen ${SERVER_CHANNEL}; listen ${channelOf(this.#node)}`);
      askedAt = performance.now();
      // From now on others wait for this node: it is about to trust what it knows.
      await client.query(beatAndAnswer(this.#node, ''));
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
    void this.#sendGathered();
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

function writeMessage(channel: string, payload: string | object): string {
  const message = JSON.stringify({ channel, payload } satisfies Message);
  if (Buffer.byteLength(message) > LARGEST_MESSAGE)
    throw new Error(`A notification on ${channel} is too long`);
  return message;
}
