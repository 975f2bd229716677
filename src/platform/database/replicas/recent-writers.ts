import type { RedisConnection } from '../../cache/redis.js';
import type { Notifications } from '../../events/notifications.js';
import type { Db } from '../database.js';

/** Who wrote, or was told of something new, so lately that they must not be shown what is older. */
export interface RecentWriters {
  /** Done when the other nodes have been told. It never fails: the write is made. */
  note(who: string): Promise<void>;
  /** True as well when it cannot be known. */
  has(who: string): Promise<boolean>;
}

const RECENT_MS = 5000;
/** Whoever writes all the time is told of once in so long, and remembered for so much longer. */
const TELL_EVERY_MS = 1000;
const KEPT_MS = RECENT_MS + TELL_EVERY_MS;
const MOST_REMEMBERED = 100_000;
const CHANNEL = 'recent-writers';
const place = (who: string) => `guildhall:wrote:${who}`;

interface Needs {
  db: Db;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'healthy'>;
  redis: Pick<RedisConnection, 'set' | 'exists'> | undefined;
}

export function createRecentWriters({ db, notifications, redis }: Needs): RecentWriters {
  const own = rememberForAWhile(KEPT_MS, 'everybody');
  const told = rememberForAWhile(TELL_EVERY_MS, 'nobody');
  notifications.subscribe<string>(CHANNEL, (who) => own.add(who));

  /** By Redis it is known everywhere when this is done; by the database other nodes hear of it a moment later. */
  async function tell(who: string): Promise<void> {
    const kept = await redis?.set(place(who), '1', 'PX', KEPT_MS).catch(() => undefined);
    if (kept !== 'OK') await notifications.publish(db, CHANNEL, who);
  }

  return {
    async note(who) {
      own.add(who);
      if (told.has(who)) return;
      // A database that is away takes no write either, so there was nothing to tell of.
      await tell(who).then(
        () => told.add(who),
        () => {},
      );
    },
    async has(who) {
      if (own.has(who) || !notifications.healthy) return true;
      if (!redis) return false;
      return redis.exists(place(who)).then(Boolean, () => true);
    },
  };
}

/** Names with the time they came, the oldest first. When there are too many, all count as remembered or none does. */
function rememberForAWhile(keptMs: number, whenFull: 'everybody' | 'nobody') {
  const names = new Map<string, number>();
  let everybodyUntil = Number.NEGATIVE_INFINITY;
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
      if (whenFull === 'everybody') everybodyUntil = now + keptMs;
    },
    has(name: string): boolean {
      const now = performance.now();
      const since = names.get(name);
      return now < everybodyUntil || (since !== undefined && now - since <= keptMs);
    },
  };
}
