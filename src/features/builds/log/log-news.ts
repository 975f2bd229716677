import { newId } from '../../../kernel/ids.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Notifications } from '../../../platform/events/notifications.js';
import type { LogChunk } from '../builds.schemas.js';

const LOG_CHANNEL = 'guildhall_build_log';
/** Published by the identity feature whenever somebody may do more or less than before. */
const IDENTITY_CHANNEL = 'guildhall_identity';

/** A reader that is further behind than so many characters reads from the database instead. */
const MOST_HELD = 512 * 1024;

interface Reader {
  wake(news: { doubtful?: boolean; piece?: LogChunk }): void;
}

interface Message {
  builds: string[];
  /** The node whose own readers have heard already. */
  from?: string;
}

export interface LogNews {
  /** `doubt`: it is time to ask whether the reader may still read; `over`: the reader has gone. */
  verdict: 'news' | 'doubt' | 'over';
  /** What this node wrote meanwhile, in its order. */
  pieces: LogChunk[];
  /** There may be more to know than the pieces say. */
  more: boolean;
}

interface LogNewsDeps {
  db: Db;
  notifications: Pick<Notifications, 'announce' | 'subscribe' | 'onGap'>;
}

/**
 * Wakes up those who read a build's log. Readers on this node get a piece into their hands right after its commit; the
 * other nodes hear of it a moment later, and look by themselves after a while.
 */
export function createBuildNews({ db, notifications }: LogNewsDeps) {
  const readers = new Map<string, Set<Reader>>();
  const node = newId();

  const wake = (buildId: string, news: Parameters<Reader['wake']>[0] = {}) => {
    for (const reader of readers.get(buildId) ?? []) reader.wake(news);
  };
  const wakeAll = () => {
    for (const buildId of readers.keys()) wake(buildId, { doubtful: true });
  };
  notifications.subscribe<Message>(LOG_CHANNEL, ({ builds, from }) => {
    if (from === node) return;
    for (const buildId of builds) wake(buildId);
  });
  notifications.subscribe(IDENTITY_CHANNEL, wakeAll);
  notifications.onGap(wakeAll);

  return {
    /** After the commit of a piece; without it readers look for themselves. */
    noteWritten(buildId: string, piece?: LogChunk): void {
      wake(buildId, piece && { piece });
      notifications.announce(db, LOG_CHANNEL, { builds: [buildId], from: node } satisfies Message);
    },

    /** After the commit that ends a build. */
    announceEnd: (tx: Tx, buildId: string): void =>
      notifications.announce(tx, LOG_CHANNEL, { builds: [buildId] } satisfies Message),

    /** Listens from now on; `next` resolves at news or after a while. */
    follow(buildId: string, signal: AbortSignal) {
      let rung = false;
      let doubtful = false;
      let more = false;
      let pieces: LogChunk[] = [];
      let held = 0;
      let resume = () => {};
      const reader: Reader = {
        wake({ doubtful: inDoubt = false, piece }) {
          rung = true;
          doubtful ||= inDoubt;
          held += piece?.text.length ?? 0;
          if (piece && held <= MOST_HELD) pieces.push(piece);
          else more = true;
          resume();
        },
      };
      const leave = () => reader.wake({});
      const others = readers.get(buildId) ?? new Set();
      readers.set(buildId, others.add(reader));
      signal.addEventListener('abort', leave);
      return {
        async next(milliseconds: number): Promise<LogNews> {
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
          const news: LogNews = { verdict, pieces, more: more || waited };
          rung = false;
          doubtful = false;
          more = false;
          pieces = [];
          held = 0;
          return news;
        },
        close(): void {
          signal.removeEventListener('abort', leave);
          others.delete(reader);
          if (others.size === 0) readers.delete(buildId);
          resume();
        },
      };
    },
  };
}

export type BuildNews = ReturnType<typeof createBuildNews>;
