import { type DeskState, stateOfRecord } from './desk-states.js';

interface Change {
  at: string;
  from: string | null;
  to: string | null;
}

interface Past {
  /** Newest first. */
  items: Change[];
  /** Changes before this time are unknown; null if all are known. */
  knownSince: string | null;
}

/** `none`: the desk did not exist yet, or its history was not loaded that far. */
export type StripState = DeskState | 'none';

export interface Stretch {
  state: StripState;
  from: number;
  to: number;
}

export function stretchesOf(past: Past, from: number, to: number): Stretch[] {
  const changes = past.items.filter(isChange).reverse();
  const known = past.knownSince === null ? Number.NEGATIVE_INFINITY : new Date(past.knownSince).getTime();
  const before = changes.findLast((change) => timeOf(change) <= from);
  const inside = changes.filter((change) => timeOf(change) > from && timeOf(change) < to);
  const first = inside[0];
  const atStart = before ? stateOfRecord(before.to) : stateOfRecord(first?.from ?? null);
  const stretches: Stretch[] = [];
  const add = (state: StripState, start: number, end: number) => {
    const last = stretches.at(-1);
    if (end <= start) return;
    if (last?.state === state) last.to = end;
    else stretches.push({ state, from: start, to: end });
  };
  let state: StripState = known > from && !before ? 'none' : (atStart ?? 'none');
  let since = from;
  for (const change of inside) {
    add(state, since, timeOf(change));
    since = timeOf(change);
    state = stateOfRecord(change.to) ?? state;
  }
  add(state, since, to);
  return stretches;
}

const isChange = ({ to }: Change): boolean => stateOfRecord(to) !== undefined;
const timeOf = ({ at }: Change): number => new Date(at).getTime();

/** Total duration of each state, longest first, excluding the time before the desk existed. */
export function sumStretches(stretches: Stretch[]): { state: DeskState; ms: number; share: number }[] {
  const sums = new Map<DeskState, number>();
  for (const { state, from, to } of stretches)
    if (state !== 'none') sums.set(state, (sums.get(state) ?? 0) + to - from);
  const all = [...sums.values()].reduce((sum, ms) => sum + ms, 0);
  return [...sums]
    .map(([state, ms]) => ({ state, ms, share: ms / all }))
    .sort((one, other) => other.ms - one.ms);
}
