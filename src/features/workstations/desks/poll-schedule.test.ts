import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactPrecisionMs, pollInterval, SLOTS, slotsBetween } from './poll-schedule.js';

const slotsOf = (from: number, to: number, interval: number): number[] =>
  slotsBetween(from, to, interval).flatMap((range) =>
    Array.from({ length: range.to - range.from }, (_, index) => range.from + index),
  );

describe('The schedule of health checks', () => {
  it('checks every 30 seconds, and less often when the nodes cannot keep up', () => {
    expect(pollInterval(0, 1)).toBe(30_000);
    expect(pollInterval(10_000, 1)).toBe(30_000);
    expect(pollInterval(24_000, 1)).toBe(60_000);
    expect(pollInterval(24_000, 2)).toBe(30_000);
  });

  it('visits every slot exactly once per interval, regardless of tick times', () => {
    const ticks = fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), ticks, (start, steps) => {
        const interval = 30_000;
        const seen = new Map<number, number>();
        let at = start;
        for (const step of steps) {
          const next = Math.min(at + step, start + interval);
          for (const slot of slotsOf(at, next, interval)) seen.set(slot, (seen.get(slot) ?? 0) + 1);
          at = next;
        }
        for (const slot of slotsOf(at, start + interval, interval)) seen.set(slot, (seen.get(slot) ?? 0) + 1);
        return seen.size === SLOTS && [...seen.values()].every((count) => count === 1);
      }),
      { numRuns: 25 },
    );
  });

  it('visits every slot once after a pause that ends in the slot where it started', () => {
    expect(slotsBetween(1, 30_000, 30_000)).toEqual([{ from: 0, to: SLOTS }]);
    expect(slotsBetween(15_001, 45_000, 30_000)).toEqual([
      { from: SLOTS / 2, to: SLOTS },
      { from: 0, to: SLOTS / 2 },
    ]);
    expect(slotsBetween(15_000, 15_001, 30_000)).toEqual([]);
  });

  it('visits every slot once after a long pause, and none when the clock stops or goes back', () => {
    expect(slotsBetween(0, 14 * 86_400_000, 30_000)).toEqual([{ from: 0, to: SLOTS }]);
    expect(slotsBetween(5_000, 5_000, 30_000)).toEqual([]);
    expect(slotsBetween(5_000, 4_000, 30_000)).toEqual([]);
  });

  it('stores contact times of quiet desks in at most 30 rows a minute', () => {
    expect((10_000 / contactPrecisionMs(10_000)) * 60_000).toBeLessThanOrEqual(30);
    expect(contactPrecisionMs(15)).toBeLessThanOrEqual(30_000);
  });
});
