import { describe, expect, it } from 'vitest';
import { timePages } from './cursor.js';

const refused = () => new Error('refused');
const pages = timePages('secret', 'inbox:1', refused);
const rows = Array.from({ length: 4 }, (_, n) => ({
  at: new Date(Date.UTC(2026, 0, n + 1)),
  id: `row-${n}`,
}));
const placeOf = (row: (typeof rows)[number]) => row;

describe('Time-ordered pages', () => {
  it('continue after the last row of the page when there are more rows', () => {
    const { page, next_cursor } = pages.cut(rows, 3, placeOf);
    expect(page).toEqual(rows.slice(0, 3));
    expect(pages.read(next_cursor!)).toEqual(rows[2]);
  });

  it('have no next page after a full, partial or empty last page', () => {
    for (const count of [3, 2, 0])
      expect(pages.cut(rows.slice(0, count), 3, placeOf)).toEqual({
        page: rows.slice(0, count),
        next_cursor: null,
      });
  });

  it('start without a cursor and reject a cursor from another list', () => {
    expect(pages.read(undefined)).toBeUndefined();
    const foreign = timePages('secret', 'inbox:2', refused).cut(rows, 1, placeOf).next_cursor!;
    for (const cursor of [foreign, `${foreign}x`, '', 'x'])
      expect(() => pages.read(cursor)).toThrow('refused');
  });
});
