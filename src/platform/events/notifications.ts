import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Log } from '../../kernel/log.js';
import { createClient, type DatabaseAddress } from '../database/connection/connection.js';
import { afterCommit } from '../database/connection/transaction.js';
import type { Db, Tx } from '../database/database.js';

type NodeBeats = Record<string, number>;

/** A channel for replies to this node. */
const channelOf = (node: string): string => `guildhall_echo_${node.replaceAll('-', '')}`;

/** Registers a heartbeat, after which other nodes wait for this one, and requests an echo. */
const beatAndAnswer = (node: string, answer: string): pg.QueryConfig => ({
  text: `with beaten as (
      insert into listening_nodes (node_id, beat) values ($1, 1)
      on conflict (node_id) do update set beat = listening_nodes.beat + 1)
    select pg_notify($2, $3)`,
  values: [node, channelOf(node), answer],
});

/** Asks all nodes to answer and returns their heartbeats. */
const callRoll = (channel: string, message: string): pg.QueryConfig => ({
  text: `select pg_notify($1, $2),
    (select coalesce(json_object_agg(node_id, beat), '{}') from listening_nodes) as nodes`,
  values: [channel, message],
});

export const answerCall = (node: string, answer: string): pg.QueryConfig => ({
  text: 'select pg_notify($1, $2)',
  values: [channelOf(node), answer],
});

const removeNode = (node: string): pg.QueryConfig => ({
  text: 'delete from listening_nodes where node_id = $1',
  values: [node],
});

/** Removes the nodes without a new heartbeat. */
const removeSilent = (nodes: [node: string, beat: number][]): pg.QueryConfig => ({
  text: `delete from listening_nodes n using unnest($1::uuid[], $2::bigint[]) as s (node_id, beat)
    where n.node_id = s.node_id and n.beat = s.beat`,
  values: [nodes.map(([node]) => node), nodes.map(([, beat]) => beat)],
});

interface NotificationsOptions extends DatabaseAddress {
  log: Log;
}

type Handler<T> = (payload: T) => void | Promise<void>;

interface Message {
  channel: string;
  payload: unknown;
}

/** All topics share one channel, so that subscribing needs no round trip. */
const SERVER_CHANNEL = 'guildhall';
const LARGEST_MESSAGE = 7999;
const FAREWELL_MS = 1000;
/** Announcements within this time are sent in one transaction. */
const GATHER_MS = 20;
const MOST_AT_ONCE = 1000;
/** Interval of echoes, which prove that notifications still arrive. */
const ECHO_EVERY_MS = 1000;
/** How long an echo proves that no notification was missed. */
const TRUST_MS = 2000;
/** After this time a silent node no longer trusts its caches. */
const ANSWER_MS = TRUST_MS + 100;
/** Silence after which the connection is replaced. */
const GIVE_UP_MS = 5000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;
const ROLL_CALL = 'guildhall_roll_call';

interface RollCall {
  node: string;
  id: string;
}

/** Notifies all nodes through the database. */
export class Notifications {
  #options: NotificationsOptions;
  #client: pg.Client | undefined;
  #handlers = new Map<string, Set<Handler<never>>>();
  #gapCallbacks = new Set<() => void>();
  #node = randomUUID();
  /** Pending echoes (this node) and roll calls (all nodes). */
  #calls = new Map<string, (node: string) => void>();
  #callCount = 0;
  /** Everything committed before this moment has been received. */
  #heardUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #stopped = true;
  /** Announced and not sent yet. Duplicates are sent once. */
  #gathered = new Set<string>();
  #gathering: NodeJS.Timeout | undefined;
  #lastQuestion: Promise<unknown> = Promise.resolve();

  constructor(options: NotificationsOptions) {
    this.#options = options;
    this.subscribe<RollCall>(ROLL_CALL, (call) => this.#answer(call));
  }

  /**
   * Whether notifications currently reach this node. Caches must not be trusted while they do not. A
   * connection can fall silent without closing, so a recent echo is required.
   */
  get healthy(): boolean {
    return this.#client !== undefined && performance.now() - this.#heardUntil <= TRUST_MS;
  }

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
    // On a silent connection this never completes, so there is a time limit.
    await Promise.race([this.#sendGathered(), pause(FAREWELL_MS, undefined, { ref: false })]);
    const client = this.#client;
    this.#client = undefined;
    // A silent connection never closes, so there is a time limit.
    await Promise.race([client && this.#leave(client), pause(FAREWELL_MS, undefined, { ref: false })]);
  }

  /** Removes this node from the list, so that other nodes no longer wait for it. */
  async #leave(client: pg.Client): Promise<void> {
    await this.#ask(client, removeNode(this.#node)).catch(() => {});
    await client.end().catch(() => {});
  }

  /**
   * Sent when the transaction commits, and dropped on rollback. Commits with a notification wait for each
   * other.
   */
  async publish(db: Db | Tx, channel: string, payload: string | object): Promise<void> {
    await sql`select pg_notify(${SERVER_CHANNEL}, ${writeMessage(channel, payload)})`.execute(db);
  }

  /**
   * Sent shortly after the commit together with others, so that commits do not wait for each other. It is
   * lost when the node dies before that, so use it only for news that readers also find by polling.
   */
  announce(db: Db | Tx, channel: string, payload: string | object): void {
    const message = writeMessage(channel, payload);
    afterCommit(db, () => this.#gather([message]));
  }

  /** `handler` receives the messages of all nodes, including this one, in commit order. */
  subscribe<T = unknown>(channel: string, handler: Handler<T>): () => void {
    const handlers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, handlers);
    handlers.add(handler);
    return () => handlers.delete(handler);
  }

  /** `callback` runs when messages may have been missed, so that caches can be cleared. */
  onGap(callback: () => void): () => void {
    this.#gapCallbacks.add(callback);
    return () => this.#gapCallbacks.delete(callback);
  }

  /**
   * Waits until every node has handled everything committed before the call, or no longer trusts older data,
   * which takes at most two seconds. Returns false when this is unknown for this node.
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
          // The last echo of a silent node came before this moment.
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

  /** Removes silent nodes unless they have sent a heartbeat in the meantime. */
  #giveUp(silent: [node: string, beat: number][]): void {
    if (silent.length === 0 || !this.#client) return;
    this.#options.log.warn({ nodes: silent.map(([node]) => node) }, 'Nodes do not answer; they are given up');
    this.#ask(this.#client, removeSilent(silent)).catch(() => {});
  }

  /** Messages arrive in commit order, so everything before the call has been handled. */
  #answer({ node, id }: RollCall): void {
    if (this.#client) this.#ask(this.#client, answerCall(node, `${id}/${this.#node}`)).catch(() => {});
  }

  /**
   * Sends everything at once, so that a later echo arrives later. Without a connection the messages wait for
   * the next one.
   */
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

  /**
   * Notifies itself on the listening connection. The server delivers in commit order. Returns false when no
   * echo arrives.
   */
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

  /** Runs one query at a time on the single connection. */
  #ask(client: pg.Client, query: pg.QueryConfig): Promise<pg.QueryResult> {
    const answer = this.#lastQuestion.catch(() => {}).then(() => client.query(query));
    this.#lastQuestion = answer;
    return answer;
  }

  /** `beforeTrust` runs when messages arrive again and before caches are trusted. */
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
      // From here on other nodes wait for this one.
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
