import { describe, expect, it } from 'vitest';
import { stretchesOf, sumStretches } from '../../dashboard/src/machines/state-strip.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 4, 4);
const at = (hour: number) => new Date(START + hour * HOUR).toISOString();
const change = (hour: number, from: string | null, to: string | null) => ({ at: at(hour), from, to });
const hours = (stretches: ReturnType<typeof stretchesOf>) =>
  stretches.map(({ state, from, to }) => [state, (from - START) / HOUR, (to - START) / HOUR]);

describe('Desk state strip', () => {
  it('continues with the state from before the displayed time', () => {
    const past = { items: [change(-30, 'provisioned', 'active')], knownSince: null };
    expect(hours(stretchesOf(past, START, START + 4 * HOUR))).toEqual([['ready', 0, 4]]);
  });

  it('shows each change at its time, although entries are read newest first', () => {
    const past = {
      items: [
        change(6, 'unreachable', 'active'),
        change(5, 'active', 'unreachable'),
        change(1, 'provisioned', 'active'),
      ],
      knownSince: null,
    };
    expect(hours(stretchesOf(past, START, START + 8 * HOUR))).toEqual([
      ['provisioning', 0, 1],
      ['ready', 1, 5],
      ['unreachable', 5, 6],
      ['ready', 6, 8],
    ]);
  });

  it('is empty before the desk was ordered and where its history was not loaded', () => {
    const ordered = { items: [change(3, null, 'provisioned')], knownSince: null };
    expect(hours(stretchesOf(ordered, START, START + 4 * HOUR))).toEqual([
      ['none', 0, 3],
      ['provisioning', 3, 4],
    ]);
    const cut = { items: [change(3, 'active', 'unreachable')], knownSince: at(2) };
    expect(hours(stretchesOf(cut, START, START + 4 * HOUR))[0]).toEqual(['none', 0, 3]);
  });

  it('ignores entries that do not change the state', () => {
    const past = { items: [change(2, null, null), change(1, null, 'provisioned')], knownSince: null };
    expect(hours(stretchesOf(past, START, START + 4 * HOUR))).toEqual([
      ['none', 0, 1],
      ['provisioning', 1, 4],
    ]);
  });

  it('sums up the states, longest first, without the time before the desk existed', () => {
    const past = {
      items: [change(3, 'provisioned', 'active'), change(2, null, 'provisioned')],
      knownSince: null,
    };
    const sums = sumStretches(stretchesOf(past, START, START + 6 * HOUR));
    expect(sums).toEqual([
      { state: 'ready', ms: 3 * HOUR, share: 0.75 },
      { state: 'provisioning', ms: HOUR, share: 0.25 },
    ]);
  });
});
