import { describe, expect, it } from 'vitest';
import { describeDistance } from '../../dashboard/src/ui/distance.js';

const at = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();
const say = (then: number, now: number) => describeDistance(new Date(then).toISOString(), now);

describe('Relative time', () => {
  it('does not call the end of today tomorrow, however early it is', () => {
    expect(say(at(15, 23, 59), at(15, 0, 1))).toBe('in 24 hours');
    expect(say(at(15, 0, 30), at(15, 23, 50))).toBe('23 hours ago');
  });

  it('counts days by midnights', () => {
    expect(say(at(16, 23, 59), at(15, 1))).toBe('tomorrow');
    expect(say(at(13, 12), at(15, 1))).toBe('2 days ago');
    expect(say(at(14, 0, 5), at(15, 23))).toBe('yesterday');
  });

  it('rounds months up instead of truncating them', () => {
    expect(say(at(15, 12) + 57 * 86_400_000, at(15, 12))).toBe('in 2 months');
  });
});
