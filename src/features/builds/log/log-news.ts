import type { Db, Tx } from '../../../database/database.js';
import type { Notifications } from '../../../database/notifications.js';
import type { Log } from '../../../kernel/log.js';

const LOG_CHANNEL = 'guildhall_build_log';
/** Published by the identity feature whenever somebody may do more or less than before. */
const IDENTITY_CHANNEL = 'guildhall_identity';
/** What is written within this time is told to the other nodes in one message. */
const TELL_AFTER_MS = 40;
/** As many ids as fit into one message. */
const MOST_IDS = 150;

interface Reader {
  wake(doubtful: boolean): void;
}

interface LogNewsDeps {
  db: Db;
  log: Log;
  notifications: Pick<Notifications, 'publish' | 'subscribe' | 'onGap'>;
}

/**
 * Wakes up those who read a build's log. Readers on this node hear of a piece right after its commit; the other nodes
 * hear of all builds that wrote lately in one message, because a message with every commit would make writers queue.
 */
export function createBuildNews({ db, log, notifications }: LogNewsDeps) {
  const readers = new Map<string, Set<Reader>>();
  let written = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const wake = (buildId: string, doubtful = false) => {
    for (const reader of readers.get(buildId) ?? []) reader.wake(doubtful);
  };
  const wakeAll = () => {
    for (const buildId of readers.keys()) wake(buildId, true);
  };
  notifications.subscribe<{ builds: string[] }>(LOG_CHANNEL, ({ builds }) => {
    for (const buildId of builds) wake(buildId);
  });
  notifications.subscribe(IDENTITY_CHANNEL, wakeAll);
  notifications.onGap(wakeAll);

  async function tell(): Promise<void> {
    timer = undefined;
    const ids = [...written];
    written = new Set();
    try {
      for (let at = 0; at < ids.length; at += MOST_IDS)
        await notifications.publish(db, LOG_CHANNEL, { builds: ids.slice(at, at + MOST_IDS) });
    } catch (error) {
      // Readers look by themselves after a while, so nothing is lost.
      log.warn({ err: error }, 'Other nodes could not be told of new log pieces');
    }
  }

  return {
    /** After the commit of a piece. */
    noteWritten(buildId: string): void {
      wake(buildId);
      written.add(buildId);
      timer ??= setTimeout(() => void tell(), TELL_AFTER_MS);
    },

    /** With the commit that ends a build. */
    announceEnd: (tx: Tx, buildId: string): Promise<void> =>
      notifications.publish(tx, LOG_CHANNEL, { builds: [buildId] }),

    /**
     * Listens from now on; `next` resolves at news or after a while: `doubtful` when it is time to ask whether the reader
     * may still read, `over` when the reader has gone.
     */
    follow(buildId: string, signal: AbortSignal) {
      let rung = false;
      let doubtful = false;
      let resume = () => {};
      const reader: Reader = {
        wake(inDoubt) {
          rung = true;
          doubtful ||= inDoubt;
          resume();
        },
      };
      const leave = () => reader.wake(false);
      const others = readers.get(buildId) ?? new Set();
      readers.set(buildId, others.add(reader));
      signal.addEventListener('abort', leave);
      return {
        async next(milliseconds: number): Promise<'news' | 'doubt' | 'over'> {
          let waited = false;
          if (!rung && !signal.aborted) {
            await new Promise<void>((resolve) => {
              const pause = setTimeout(() => {
                waited = true;
                resolve();
              }, milliseconds);
              resume = () => {
                clearTimeout(pause);
                resolve();
              };
            });
          }
          const verdict = signal.aborted ? 'over' : doubtful || waited ? 'doubt' : 'news';
          rung = false;
          doubtful = false;
          return verdict;
        },
        close(): void {
          signal.removeEventListener('abort', leave);
          others.delete(reader);
          if (others.size === 0) readers.delete(buildId);
          resume();
        },
      };
    },

    stop(): void {
      clearTimeout(timer);
    },
  };
}

export type BuildNews = ReturnType<typeof createBuildNews>;
