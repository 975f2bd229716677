import { LRUCache } from 'lru-cache';
import { CursorCodec } from '../../../kernel/cursor.js';
import { notACursor } from '../boards.errors.js';

/** The entries that a reader has seen: all from `oldest` to `newest`, inclusive. */
export interface EntryRange {
  oldest: number;
  newest: number;
}

/** Entries to read next, as ranges of sequence numbers, the newer range first. */
export interface NextPage {
  runs: EntryRange[];
  seen: EntryRange;
}

/**
 * A board's sequence has no gaps, so the next page needs no read. It takes the oldest entries after the range
 * first, which keeps the range contiguous, and then older ones.
 */
export function planNextPage(seen: EntryRange | undefined, last: number, limit: number): NextPage {
  const { oldest, newest } = seen ?? { oldest: last + 1, newest: last };
  const upTo = Math.min(newest + limit, Math.max(last, newest));
  const room = limit - (upTo - newest);
  const downTo = Math.max(oldest - room, 1);
  const runs = [
    { oldest: newest + 1, newest: upTo },
    { oldest: downTo, newest: oldest - 1 },
  ].filter((run) => run.oldest <= run.newest);
  return { runs, seen: { oldest: Math.min(downTo, oldest), newest: upTo } };
}

export const extendRange = (seen: EntryRange, sequence: number): EntryRange => ({
  oldest: seen.oldest,
  newest: sequence,
});

/** Starts a stream now: nothing is read yet, and older entries count as unread. */
export const startAt = (last: number): EntryRange => ({ oldest: last + 1, newest: last });

export function feedCursors(secret: string, boardId: string) {
  const codec = new CursorCodec(secret, `activity:${boardId}`);
  return {
    encode: ({ oldest, newest }: EntryRange): string => codec.encode([oldest, newest]),
    decode(cursor: string): EntryRange {
      const position = codec.decode(cursor);
      if (!Array.isArray(position)) throw notACursor('since');
      return { oldest: Number(position[0]), newest: Number(position[1]) };
    },
  };
}

/** Every 500th entry of a card is a landmark from which pages are found (docs/adr/0037). */
export const STEP = 500;
const MOST_CARDS = 1000;

/** A node's cached counts of a card's entries, which stay valid because entries are only ever appended. */
export interface EntryCounts {
  total: number;
  newest: number;
  /** Sequence numbers, oldest first. */
  landmarks: number[];
}

const NOTHING: EntryCounts = { total: 0, newest: 0, landmarks: [] };

export function createEntryCounts() {
  const known = new LRUCache<string, EntryCounts>({ max: MOST_CARDS });
  return {
    /** Ignores counts that are ahead of the board, which happens after a restore from a backup. */
    of(cardId: string, lastSequence: number): EntryCounts {
      const found = known.get(cardId);
      return found && found.newest <= lastSequence ? found : NOTHING;
    },
    note: (cardId: string, entries: EntryCounts) => void known.set(cardId, entries),
  };
}

/** The last landmark among the first `before` entries. */
export function findLandmark({ landmarks }: EntryCounts, before: number) {
  const passed = Math.min(Math.floor(Math.max(0, before) / STEP), landmarks.length);
  return { number: passed * STEP, sequence: landmarks[passed - 1] ?? 0 };
}
