import type { Caller } from '../../../kernel/access.js';
import type { RedisConnection } from '../../cache/redis.js';
import type { Notifications } from '../../events/notifications.js';
import type { Db } from '../database.js';
import type { Replicas } from './replicas.js';

/** Routes reads that may be slightly stale. */
export interface LaggingReads {
  /** Runs a read on a replica where possible. The read may run twice. */
  read<T>(caller: Caller, work: () => Promise<T>): Promise<T>;
  /** For a while, shows the caller no data older than this moment. Await it before answering. */
  noteNews(caller: Caller): Promise<void>;
}

export const noLaggingReads: LaggingReads = {
  read: (_caller, work) => work(),
  noteNews: async () => {},
};

/** People who wrote or were notified recently and must not see older data. */
export interface RecentWriters {
  /** Resolves when the other nodes know. Never fails, because the write is already committed. */
  note(person: string): Promise<void>;
  /** Returns true when in doubt. */
  has(person: string): Promise<boolean>;
}

const RECENT_MS = 5000;
/** Frequent writers are announced once per interval, and remembered longer by one interval. */
const ANNOUNCE_EVERY_MS = 1000;
const KEPT_MS = RECENT_MS + ANNOUNCE_EVERY_MS;
const MOST_REMEMBERED = 100_000;
const CHANNEL = 'recent-writers';
const place = (person: string) => `guildhall:wrote:${person}`;

interface RecentWriterOptions {
  db: Db;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'healthy'>;
  redis: Pick<RedisConnection, 'set' | 'exists'> | undefined;
}

export function createRecentWriters({ db, notifications, redis }: RecentWriterOptions): RecentWriters {
  const own = rememberForAWhile(KEPT_MS, 'all');
  const announced = rememberForAWhile(ANNOUNCE_EVERY_MS, 'none');
  notifications.subscribe<string>(CHANNEL, (person) => own.add(person));

  /** With Redis the other nodes know at once. With database notifications they know a moment later. */
  async function announce(person: string): Promise<void> {
    const kept = await redis?.set(place(person), '1', 'PX', KEPT_MS).catch(() => undefined);
    if (kept !== 'OK') await notifications.publish(db, CHANNEL, person);
  }

  return {
    async note(person) {
      own.add(person);
      if (announced.has(person)) return;
      // If the database is down, it accepted no write, and there is nothing to announce.
      await announce(person).then(
        () => announced.add(person),
        () => {},
      );
    },
    async has(person) {
      if (own.has(person) || !notifications.healthy) return true;
      if (!redis) return false;
      return redis.exists(place(person)).then(Boolean, () => true);
    },
  };
}

/**
 * Remembers names with their time of arrival, oldest first. When there are too many, either all names count
 * as remembered or none.
 */
function rememberForAWhile(keptMs: number, whenFull: 'all' | 'none') {
  const names = new Map<string, number>();
  let allUntil = Number.NEGATIVE_INFINITY;
  const forgetOld = (now: number) => {
    for (const [name, since] of names) {
      if (now - since <= keptMs) return;
      names.delete(name);
    }
  };
  return {
    add(name: string): void {
      const now = performance.now();
      names.delete(name);
      names.set(name, now);
      forgetOld(now);
      if (names.size <= MOST_REMEMBERED) return;
      names.clear();
      if (whenFull === 'all') allUntil = now + keptMs;
    },
    has(name: string): boolean {
      const now = performance.now();
      const since = names.get(name);
      return now < allUntil || (since !== undefined && now - since <= keptMs);
    },
  };
}

interface LaggingReadOptions {
  replicas: Pick<Replicas, 'read'>;
  writers: RecentWriters;
  /** Called for a read that went to the primary because of a recent write. */
  onRecent(): void;
}

/** Sends reads to the replicas, unless the caller is a recent writer or a guest. */
export const createLaggingReads = ({ replicas, writers, onRecent }: LaggingReadOptions): LaggingReads => ({
  async read(caller, work) {
    const person = personOf(caller);
    if (person === undefined) return work();
    // Guest permissions are read together with the data and must not be stale.
    if ('role' in caller && caller.role === 'guest') return work();
    if (!(await writers.has(person))) return replicas.read(work);
    onRecent();
    return work();
  },
  async noteNews(caller) {
    const person = personOf(caller);
    if (person !== undefined) await writers.note(person);
  },
});

/** Identifies the person in the workspace, for any of their credentials. */
const personOf = (caller: Caller): string | undefined =>
  'userId' in caller ? `${caller.brandId}:${caller.userId}` : undefined;
