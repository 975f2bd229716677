import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type EntryRange, feedCursors, planNextPage } from './feed-cursor.js';

const numbersOf = (runs: EntryRange[]): number[] =>
  runs.flatMap(({ oldest, newest }) => Array.from({ length: newest - oldest + 1 }, (_, i) => newest - i));

describe('The next page of a feed', () => {
  it('starts with the newest entries', () => {
    expect(numbersOf(planNextPage(undefined, 10, 3).runs)).toEqual([10, 9, 8]);
  });

  it('continues with new entries, then older ones, newest first', () => {
    const { runs, seen } = planNextPage({ oldest: 8, newest: 10 }, 12, 5);
    expect(numbersOf(runs)).toEqual([12, 11, 7, 6, 5]);
    expect(seen).toEqual({ oldest: 5, newest: 12 });
  });

  it('stays contiguous when more entries arrived than a page holds', () => {
    const { runs, seen } = planNextPage({ oldest: 8, newest: 10 }, 100, 5);
    expect(numbersOf(runs)).toEqual([15, 14, 13, 12, 11]);
    expect(seen).toEqual({ oldest: 8, newest: 15 });
  });

  it('is empty when all entries were read', () => {
    expect(planNextPage({ oldest: 1, newest: 10 }, 10, 5)).toEqual({
      runs: [],
      seen: { oldest: 1, newest: 10 },
    });
  });

  it('returns every entry exactly once during concurrent writes', () => {
    const steps = fc.array(
      fc.record({ written: fc.nat({ max: 40 }), limit: fc.integer({ min: 1, max: 20 }) }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(fc.nat({ max: 100 }), steps, (before, reads) => {
        let last = before;
        let seen: EntryRange | undefined;
        const read: number[] = [];
        const turn = (limit: number) => {
          const page = planNextPage(seen, last, limit);
          const numbers = numbersOf(page.runs);
          expect(numbers).toEqual(numbers.toSorted((a, b) => b - a));
          expect(numbers.length).toBeLessThanOrEqual(limit);
          read.push(...numbers);
          seen = page.seen;
          return numbers.length;
        };
        for (const { written, limit } of reads) {
          last += written;
          turn(limit);
        }
        while (turn(20) > 0);
        expect(read.toSorted((a, b) => a - b)).toEqual(Array.from({ length: last }, (_, i) => i + 1));
      }),
    );
  });
});

describe('A feed cursor', () => {
  const cursors = feedCursors('secret', 'board-1');
  const cursor = cursors.encode({ oldest: 3, newest: 9 });

  it('is the same for the same secret, so it survives restarts', () => {
    expect(feedCursors('secret', 'board-1').decode(cursor)).toEqual({ oldest: 3, newest: 9 });
  });

  it('is refused on another board, under another secret, and with any character altered', () => {
    expect(() => feedCursors('secret', 'board-2').decode(cursor)).toThrow('cursor');
    expect(() => feedCursors('other', 'board-1').decode(cursor)).toThrow('cursor');
    for (let i = 0; i < cursor.length; i++) {
      const altered = cursor.slice(0, i) + (cursor[i] === 'A' ? 'B' : 'A') + cursor.slice(i + 1);
      expect(() => cursors.decode(altered)).toThrow('cursor');
    }
    for (const text of ['', 'x', '=', `${cursor}A`, ` ${cursor}`])
      expect(() => cursors.decode(text)).toThrow('cursor');
  });
});
