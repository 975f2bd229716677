import { describe, expect, it } from 'vitest';
import { readDay } from '../../dashboard/src/boards/due-words.js';

/** A Wednesday. */
const NOW = new Date(2026, 10, 18, 15, 30);

describe('Due date parser', () => {
  it.each([
    ['today', '2026-11-18'],
    ['Tomorrow', '2026-11-19'],
    [' fri ', '2026-11-20'],
    ['friday', '2026-11-20'],
    ['wed', '2026-11-25'],
    ['next mon', '2026-11-23'],
    ['next week', '2026-11-23'],
    ['in 3 days', '2026-11-21'],
    ['2w', '2026-12-02'],
    ['12.3.', '2027-03-12'],
    ['18.11.', '2026-11-18'],
    ['24.12', '2026-12-24'],
    ['1.2.2028', '2028-02-01'],
    ['12 mar', '2027-03-12'],
    ['March 12', '2027-03-12'],
    ['12 March, 2029', '2029-03-12'],
    ['2027-03-12', '2027-03-12'],
  ])('%s is %s', (words, day) => {
    expect(readDay(words, NOW)).toBe(day);
  });

  it.each(['', 'soon', 'f', '31.2.', '2027-02-30', '12.13.', '12 foo', 'in days'])(
    '%s is not a date',
    (words) => {
      expect(readDay(words, NOW)).toBeUndefined();
    },
  );

  it('reads "next week" as the following Monday, also on a Sunday and a Monday', () => {
    expect(readDay('next week', new Date(2026, 10, 22))).toBe('2026-11-23');
    expect(readDay('next week', new Date(2026, 10, 23))).toBe('2026-11-30');
  });
});
