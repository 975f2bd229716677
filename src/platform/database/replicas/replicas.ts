import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type pg from 'pg';
import { within } from '../../../kernel/async.js';
import { type Clock, DAY } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import {
  errorCode,
  isConnectionFailure,
  isPoolExhausted,
  isRecoveryConflict,
} from '../connection/database-errors.js';
import { onReplica, urgently } from '../connection/pools.js';
import type { Db } from '../database.js';

const replicaBeatStore = (db: Db, nodeId: string) => ({
  async write(beat: number, now: Date): Promise<void> {
    await sql`
      insert into replica_beats (node_id, beat, beaten_at) values (${nodeId}, ${beat}, ${now})
      on conflict (node_id) do update set beat = excluded.beat, beaten_at = excluded.beaten_at`.execute(db);
  },

  async removeBefore(past: Date): Promise<void> {
    await sql`delete from replica_beats where beaten_at < ${past}`.execute(db);
  },
});

/** Returns the last heartbeat of this node that the replica has received. */
async function readBeat(pool: pg.Pool, nodeId: string, timeoutMs: number): Promise<number | undefined> {
  const { rows } = await pool.query<{ beat: number }>({
    text: 'select beat from replica_beats where node_id = $1',
    values: [nodeId],
    query_timeout: timeoutMs,
  } as pg.QueryConfig);
  return rows[0]?.beat;
}

/** Shorter than the time for which recent writes are remembered (`RECENT_MS`). */
const MOST_STALE_MS = 4000;
const LOOK_TIMEOUT_MS = 1000;
/** A replica further behind is stale anyway. */
const REMEMBERED_BEATS = 10;

/** `behind` means that it responds but is stale, and `away` that it does not respond. */
export type ReplicaStatus = 'fresh' | 'behind' | 'away';

interface Replica {
  readonly pool: pg.Pool;
  status(): ReplicaStatus;
  staleMs(): number;
  /** Registers a heartbeat that was committed on the primary after everything committed before `askedAt`. */
  expect(beat: number, askedAt: number): void;
  look(nodeId: string): Promise<void>;
  /** Called when a read failed. The replica is unused until it is confirmed as fresh. */
  doubt(): void;
}

/** `watchPool` is a separate connection, so that a busy replica does not look unreachable. */
function watchReplica({ pool, watchPool }: { pool: pg.Pool; watchPool: pg.Pool }, log: Log): Replica {
  const beats = new Map<number, number>();
  const clients = new Set<pg.PoolClient>();
  let freshAt = Number.NEGATIVE_INFINITY;
  let answers = false;
  let logged: ReplicaStatus = 'away';
  pool.on('connect', (client) => clients.add(client));
  pool.on('remove', (client) => clients.delete(client));

  const staleMs = () => performance.now() - freshAt;
  const status = (): ReplicaStatus => (staleMs() <= MOST_STALE_MS ? 'fresh' : answers ? 'behind' : 'away');

  /** Fails the reads that wait for a silent replica, so that the primary answers them. */
  const hangUp = () => {
    for (const client of clients) streamOf(client).destroy();
  };

  const logChange = () => {
    const now = status();
    if (now === logged) return;
    if (now === 'fresh') log.info('A replica answers reads');
    else log.warn({ status: now }, 'A replica is not used; the primary answers its reads');
    logged = now;
  };

  return {
    pool,
    status,
    staleMs,
    expect(beat, askedAt) {
      beats.set(beat, askedAt);
      beats.delete(beat - REMEMBERED_BEATS);
    },
    async look(nodeId) {
      try {
        const seen = await readBeat(watchPool, nodeId, LOOK_TIMEOUT_MS);
        answers = true;
        freshAt = Math.max(freshAt, beats.get(seen ?? 0) ?? Number.NEGATIVE_INFINITY);
      } catch {
        answers = false;
        if (status() === 'away') hangUp();
      }
      logChange();
    },
    doubt() {
      freshAt = Number.NEGATIVE_INFINITY;
    },
  };
}

const streamOf = (client: pg.PoolClient) =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;

/** Where a read ran, or why no replica was used. */
export type ReadOutcome = 'replica' | 'none_fresh' | 'conflict' | 'busy' | 'unreachable' | 'refused';

export interface Replicas {
  /** Runs a read on a fresh replica. After any failure it runs again on the primary. */
  read<T>(work: () => Promise<T>): Promise<T>;
  states(): { status: ReplicaStatus; staleMs: number }[];
  observe(listener: (outcome: ReadOutcome) => void): void;
  start(clock: Clock): Promise<void>;
  stop(): Promise<void>;
}

/** SQLSTATE of a write on a replica, which is not the replica's fault. */
const READ_ONLY = '25006';
const BEAT_EVERY_MS = 1000;
const BEAT_TIMEOUT_MS = 2000;

export function createReplicas(options: {
  db: Db;
  pools: readonly { pool: pg.Pool; watchPool: pg.Pool }[];
  log: Log;
}): Replicas {
  const { db, log } = options;
  const nodeId = randomUUID();
  const store = replicaBeatStore(db, nodeId);
  const replicas = options.pools.map((pools) => watchReplica(pools, log));
  const listeners: ((outcome: ReadOutcome) => void)[] = [];
  let beats = 0;
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();
  let stopped = true;

  const notify = (outcome: ReadOutcome) => {
    for (const listener of listeners) listener(outcome);
  };

  const choose = (): Replica | undefined => {
    const fresh = replicas.filter((replica) => replica.status() === 'fresh');
    turn += 1;
    return fresh[turn % fresh.length];
  };

  async function beat(clock: Clock): Promise<void> {
    const askedAt = performance.now();
    beats += 1;
    try {
      await within(
        BEAT_TIMEOUT_MS,
        urgently(() => store.write(beats, clock.now())),
      );
      for (const replica of replicas) replica.expect(beats, askedAt);
    } catch {}
    await Promise.all(replicas.map((replica) => replica.look(nodeId)));
  }

  const schedule = (clock: Clock) => {
    timer = setTimeout(() => {
      beating = beat(clock).finally(() => stopped || schedule(clock));
    }, BEAT_EVERY_MS);
    timer.unref();
  };

  return {
    async read(work) {
      const replica = choose();
      if (!replica) {
        notify('none_fresh');
        return work();
      }
      try {
        const result = await onReplica(replica.pool, work);
        notify('replica');
        return result;
      } catch (error) {
        const outcome = judge(error);
        if (outcome === 'unreachable') replica.doubt();
        notify(outcome);
      }
      return work();
    },
    states: () => replicas.map((replica) => ({ status: replica.status(), staleMs: replica.staleMs() })),
    observe: (listener) => void listeners.push(listener),
    async start(clock) {
      stopped = false;
      await store.removeBefore(new Date(clock.now().getTime() - DAY * 1000));
      beating = beat(clock);
      await beating;
      schedule(clock);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await beating;
    },
  };
}

function judge(error: unknown): ReadOutcome {
  if (isRecoveryConflict(error)) return 'conflict';
  if (isPoolExhausted(error)) return 'busy';
  if (errorCode(error) === READ_ONLY) return 'refused';
  return isConnectionFailure(error) ? 'unreachable' : 'refused';
}
