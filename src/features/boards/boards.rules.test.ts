import { describe, expect, it } from 'vitest';
import { type Column, findColumn, placeCard } from './board/columns.js';
import { excerptOf, parseInstant, splitList } from './board/text.js';
import { freeKey, suggestKey } from './cards/board-records.service.js';
import { expectedVersion, matchesVersion } from './cards/card-patch.service.js';

describe('The key of a board', () => {
  it.each([
    ['Platform Build', 'PB'],
    ['Mobile', 'MOB'],
    ['a b c d e f', 'ABCD'],
    ['Überflug', 'UBE'],
    ['42', 'BRD'],
    ['日本', 'BRD'],
    ['x', 'BRD'],
  ])('for %s is %s', (name, key) => {
    expect(suggestKey(name)).toBe(key);
  });

  it('gets a number when it is taken', () => {
    expect(freeKey('PB', new Set(['PB', 'PB2', 'PB4']))).toBe('PB3');
  });
});

describe('The position of a card', () => {
  const columns: Column[] = [
    { id: 'a', name: 'New', status: 'pending' },
    { id: 'b', name: 'Build', status: 'in_progress' },
    { id: 'c', name: 'Polish', status: 'in_progress' },
  ];
  const [fresh, build, polish] = columns as [Column, Column, Column];

  it('follows the column, or the first column of the status', () => {
    expect(placeCard(columns, { column: fresh, status: 'pending' }, { column: polish })).toEqual({
      column: polish,
      status: 'in_progress',
    });
    expect(placeCard(columns, { column: fresh, status: 'pending' }, { status: 'in_progress' }).column).toBe(
      build,
    );
    expect(
      placeCard(columns, { column: polish, status: 'in_progress' }, { status: 'in_progress' }).column,
    ).toBe(polish);
  });

  it('does not change when no column has the status', () => {
    expect(placeCard(columns, { column: build, status: 'in_progress' }, { status: 'canceled' })).toEqual({
      column: build,
      status: 'canceled',
    });
  });

  it('is refused when column and status disagree, or when two names mean different columns', () => {
    expect(() =>
      placeCard(columns, { column: fresh, status: 'pending' }, { column: build, status: 'done' }),
    ).toThrow('disagree');
    expect(() => findColumn(columns, { column: 'New', column_id: 'b' })).toThrow('same column');
    expect(findColumn(columns, { column: { id: 'B', name: ' build' } })).toBe(build);
  });
});

describe('Query parameters', () => {
  it('are read as lists without blanks and repeats, and an empty list is no filter', () => {
    expect(splitList(' a, b ,,a')).toEqual(['a', 'b']);
    expect(splitList(' , ')).toBeUndefined();
    expect(splitList(undefined)).toBeUndefined();
  });

  it.each([
    ['2026-11-14T09:30:00.000Z', '2026-11-14T09:30:00.000Z'],
    ['2026-11-14T09:30:00+02:00', '2026-11-14T07:30:00.000Z'],
    ['2026-11-14T09:30', '2026-11-14T09:30:00.000Z'],
    ['2026-02-30T99:00:00Z', undefined],
    ['2026-11-14', undefined],
    ['1763112600', undefined],
    ['0000-01-01T00:00:00Z', undefined],
  ])('are read from %s as %s', (text, instant) => {
    expect(parseInstant(text)?.toISOString()).toBe(instant);
  });

  it('match versions exactly, in a list too', () => {
    expect(['"3"', '*', '"1", "3"'].map((tag) => matchesVersion(tag, 3))).toEqual([true, true, true]);
    expect(['3', 'W/"3"', '"33"', ''].map((tag) => matchesVersion(tag, 3))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(expectedVersion('"7", "5"')).toBe(5);
  });

  it('are cut to excerpts between characters', () => {
    expect(excerptOf('😀'.repeat(201))).toBe('😀'.repeat(200));
    expect(excerptOf('x'.repeat(200))).toHaveLength(200);
    expect(excerptOf(null)).toBeNull();
  });
});
