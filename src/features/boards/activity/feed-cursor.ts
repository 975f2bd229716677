import { CursorCodec } from '../../../kernel/cursor.js';
import { notACursor } from '../boards.errors.js';

/** The part of a feed that a reader has seen: every entry from `oldest` to `newest`, both included. */
export interface Stretch {
  oldest: number;
  newest: number;
}

/** Entries to read next, as runs of sequence numbers; the newer run comes first. */
export interface NextPage {
  runs: Stretch[];
  seen: Stretch;
}

/**
 * Numbers of a board have no gaps, so the next page can be told without reading: first what came after the stretch,
 * nearest first, so that the stretch stays in one piece; then, if there is room, what lies below it.
 */
export function planNextPage(seen: Stretch | undefined, last: number, limit: number): NextPage {
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

/** The entries after the stretch alone: what a live reader waits for. */
export const extendTo = (seen: Stretch, sequence: number): Stretch => ({
  oldest: seen.oldest,
  newest: sequence,
});

/** Nothing read yet, and nothing before this moment wanted at once: older entries stay below the stretch. */
export const emptyStretchAt = (last: number): Stretch => ({ oldest: last + 1, newest: last });

export function feedCursors(secret: string, boardId: string) {
  const codec = new CursorCodec(secret, `activity:${boardId}`);
  return {
    encode: ({ oldest, newest }: Stretch): string => codec.encode([oldest, newest]),
    decode(cursor: string): Stretch {
      const position = codec.decode(cursor);
      if (!Array.isArray(position)) throw notACursor('since');
      return { oldest: Number(position[0]), newest: Number(position[1]) };
    },
  };
}
