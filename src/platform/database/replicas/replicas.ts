import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Clock, DAY } from '../../../kernel/clock.js';
import { within } from '../../../kernel/deadline.js';
import type { Log } from '../../../kernel/log.js';
import { onReplica, urgently } from '../connection/background.js';
import {
  errorCode,
  isConnectionFailure,
  isPoolExhausted,
  isRecoveryConflict,
} from '../connection/database-errors.js';
import type { Db } from '../database.js';
import { type Replica, type ReplicaStatus, watchReplica } from './replica.js';
import { replicaBeatStore } from './replica-beats.store.js';

/** Who answered a read that may be a moment old, and why it was not a replica. */
export type ReadOutcome = 'replica' | 'none_fresh' | 'conflict' | 'busy' | 'unreachable' | 'refused';

/** The replicas of the database, and how old what they hold can be. */
export interface Replicas {
  /** Runs a read on a replica that is fresh. Whatever it does not answer, a refusal too, the primary is asked: only answers count. */
  read<T>(work: () => Promise<T>): Promise<T>;
  states(): { status: ReplicaStatus; staleMs: number }[];
  observe(listener: (outcome: ReadOutcome) => void): void;
  start(clock: Clock): Promise<void>;
  stop(): Promise<void>;
}

/** A replica takes no write, which is no fault of it. */
const READ_ONLY = '25006';
const BEAT_EVERY_MS = 1000;
const BEAT_TIMEOUT_MS = 2000;

export function createReplicas(options: {
  db: Db;
  pools: readonly { pool: pg.Pool; eye: pg.Pool }[];
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

  const tell = (outcome: ReadOutcome) => {
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
    } catch {
      // A primary that is away is told by others; what replicas hold grows old meanwhile.
    }
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
        tell('none_fresh');
        return work();
      }
      try {
        const result = await onReplica(replica.pool, work);
        tell('replica');
        return result;
      } catch (error) {
        const outcome = judge(error);
        if (outcome === 'unreachable') replica.doubt();
        tell(outcome);
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
