/** Each desk has a fixed random slot in the interval, so no due time is stored. */

export const SLOTS = 10_000;
export const POLL_INTERVAL_MS = 30_000;
/** Capacity of one node. With more desks, each is checked less often. */
export const CHECKS_PER_SECOND = 400;

export interface SlotRange {
  from: number;
  to: number;
}

export const pollInterval = (desks: number, nodes: number): number =>
  Math.max(POLL_INTERVAL_MS, Math.ceil((desks / (CHECKS_PER_SECOND * Math.max(1, nodes))) * 1000));

/** Slots due after `from` and up to `to` (milliseconds), as half-open ranges with each slot at most once. */
export function slotsBetween(from: number, to: number, intervalMs: number): SlotRange[] {
  if (to <= from) return [];
  if (to - from >= intervalMs) return [{ from: 0, to: SLOTS }];
  const start = slotAt(from, intervalMs);
  const end = slotAt(to, intervalMs);
  // A pause of almost an interval ends in its first slot and has passed all others.
  const wrapped = end < start || (end === start && to - from > intervalMs / 2);
  const ranges = wrapped
    ? [
        { from: start, to: SLOTS },
        { from: 0, to: end },
      ]
    : [{ from: start, to: end }];
  return ranges.filter((range) => range.from < range.to);
}

const slotAt = (instant: number, intervalMs: number): number =>
  Math.floor(((instant % intervalMs) / intervalMs) * SLOTS);

/** How old a stored contact time may get, so that any number of desks writes at most 30 rows a minute. */
export const contactPrecisionMs = (desks: number): number => (desks / 30) * 60_000;
