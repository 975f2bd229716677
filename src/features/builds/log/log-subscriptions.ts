import { newId } from '../../../kernel/ids.js';
import type { Tx } from '../../../platform/database/database.js';
import type { LogChunk } from '../builds.schemas.js';
import type { BuildDeps } from '../record/build-deps.js';

const LOG_CHANNEL = 'guildhall_build_log';
/** Published by the identity feature whenever a person's permissions change. */
const IDENTITY_CHANNEL = 'guildhall_identity';

/** A reader that falls further behind reads from the database instead. */
const MOST_HELD = 512 * 1024;

interface Reader {
  wake(news: { doubtful?: boolean; piece?: LogChunk }): void;
}

interface Message {
  builds: string[];
  from?: string;
}

export interface LogNews {
  /** `doubt`: check the permission again. `over`: the reader has gone. */
  verdict: 'news' | 'doubt' | 'over';
  pieces: LogChunk[];
  /** The pieces may be incomplete. */
  more: boolean;
}

/**
 * Readers on this node get a piece right after its commit. Other nodes get a signal, and poll as a fallback.
 */
export function createLogSubscriptions({ db, notifications }: BuildDeps) {
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
    /** Without a piece, readers look in the database. */
    publishPiece(buildId: string, piece?: LogChunk): void {
      wake(buildId, piece && { piece });
      notifications.announce(db, LOG_CHANNEL, { builds: [buildId], from: node } satisfies Message);
    },

    publishEnd: (tx: Tx, buildId: string): void =>
      notifications.announce(tx, LOG_CHANNEL, { builds: [buildId] } satisfies Message),

    /** `next` resolves at news or after a timeout. */
    subscribe(buildId: string, signal: AbortSignal) {
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

export type LogSubscriptions = ReturnType<typeof createLogSubscriptions>;
