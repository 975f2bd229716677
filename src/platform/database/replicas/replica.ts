import type pg from 'pg';
import type { Log } from '../../../kernel/log.js';
import { readBeat } from './replica-beats.store.js';

/** A write is known to its caller for longer than this: see `RECENT_MS` of the recent writers. */
const MOST_STALE_MS = 4000;
const LOOK_TIMEOUT_MS = 1000;
/** A replica that is further behind than all of these is not fresh anyway. */
const REMEMBERED_BEATS = 10;

/** `behind`: it answers, and what it holds is too old. `away`: it does not answer. */
export type ReplicaStatus = 'fresh' | 'behind' | 'away';

export interface Replica {
  readonly pool: pg.Pool;
  status(): ReplicaStatus;
  /** How old what it holds can be at most; Infinity when nothing is known. */
  staleMs(): number;
  /** A beat was committed on the primary; everything that was committed before `askedAt` came before it. */
  expect(beat: number, askedAt: number): void;
  look(nodeId: string): Promise<void>;
  /** It failed somebody: it has to prove itself again. */
  doubt(): void;
}

/** `eye` has a connection of its own: a replica that is busy is not away. */
export function watchReplica({ pool, eye }: { pool: pg.Pool; eye: pg.Pool }, log: Log): Replica {
  const beats = new Map<number, number>();
  const clients = new Set<pg.PoolClient>();
  let freshAt = Number.NEGATIVE_INFINITY;
  let answers = false;
  let told: ReplicaStatus = 'away';
  pool.on('connect', (client) => clients.add(client));
  pool.on('remove', (client) => clients.delete(client));

  const staleMs = () => performance.now() - freshAt;
  const status = (): ReplicaStatus => (staleMs() <= MOST_STALE_MS ? 'fresh' : answers ? 'behind' : 'away');

  /** Whoever waits for a replica that does not answer is answered by the primary instead. */
  const hangUp = () => {
    for (const client of clients) streamOf(client).destroy();
  };

  const tellChange = () => {
    const now = status();
    if (now === told) return;
    if (now === 'fresh') log.info('A replica answers reads');
    else log.warn({ status: now }, 'A replica is not used; the primary answers its reads');
    told = now;
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
        const seen = await readBeat(eye, nodeId, LOOK_TIMEOUT_MS);
        answers = true;
        freshAt = Math.max(freshAt, beats.get(seen ?? 0) ?? Number.NEGATIVE_INFINITY);
      } catch {
        answers = false;
        if (status() === 'away') hangUp();
      }
      tellChange();
    },
    doubt() {
      freshAt = Number.NEGATIVE_INFINITY;
    },
  };
}

const streamOf = (client: pg.PoolClient) =>
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
