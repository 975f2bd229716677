import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contactPrecisionMs, pollInterval, SLOTS, slotsBetween } from './poll-schedule.js';

const slotsOf = (from: number, to: number, interval: number): number[] =>
  slotsBetween(from, to, interval).flatMap((range) =>
    Array.from({ length: range.to - range.from }, (_, index) => range.from + index),
  );

describe('the schedule of checks', () => {
  it('asks every 30 seconds, and less often when the fleet is larger than the nodes can look after', () => {
    expect(pollInterval(0, 1)).toBe(30_000);
    expect(pollInterval(10_000, 1)).toBe(30_000);
    expect(pollInterval(24_000, 1)).toBe(60_000);
    expect(pollInterval(24_000, 2)).toBe(30_000);
  });

  it('brings up every slot exactly once an interval, however the ticks fall', () => {
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

  it('does everything once after a pause that ends in the slot where it began', () => {
    expect(slotsBetween(1, 30_000, 30_000)).toEqual([{ from: 0, to: SLOTS }]);
    expect(slotsBetween(15_001, 45_000, 30_000)).toEqual([
      { from: SLOTS / 2, to: SLOTS },
      { from: 0, to: SLOTS / 2 },
    ]);
    expect(slotsBetween(15_000, 15_001, 30_000)).toEqual([]);
  });

  it('does everything once after a long pause, and nothing when time stands still or goes back', () => {
    expect(slotsBetween(0, 14 * 86_400_000, 30_000)).toEqual([{ from: 0, to: SLOTS }]);
    expect(slotsBetween(5_000, 5_000, 30_000)).toEqual([]);
    expect(slotsBetween(5_000, 4_000, 30_000)).toEqual([]);
  });

  it('stores contact times of a quiet fleet in at most 30 rows a minute', () => {
    expect((10_000 / contactPrecisionMs(10_000)) * 60_000).toBeLessThanOrEqual(30);
    expect(contactPrecisionMs(15)).toBeLessThanOrEqual(30_000);
  });
});
