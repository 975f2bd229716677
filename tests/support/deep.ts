import { inject, it } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    deep: boolean;
  }
}

/** Whether this is `npm run test:deep`, where whatever is exhaustive by nature is tried in full. */
export const isDeep = inject('deep');

/** Everything in the deep run, and every so manieth otherwise: at least one, and others where `turn` is another. */
export const crossSection = <T>(all: readonly T[], every: number, turn = 0): T[] =>
  all.filter((_, index) => isDeep || index % every === turn % Math.min(every, all.length));

// Not skipped, but not there: what a run does not try it has nothing to say about.
const unheard = Object.assign(() => {}, { each: () => () => {}, for: () => () => {} });

/** For tests of the deep run alone, of whichever kind. */
export const deeply = <T extends object>(kind: T): T => (isDeep ? kind : (unheard as unknown as T));

export const itDeeply = deeply(it);

/** For what the deep run need not try again, of a file that is in both. */
export const usually = <T extends object>(kind: T): T => (isDeep ? (unheard as unknown as T) : kind);

export const itUsually = usually(it);
