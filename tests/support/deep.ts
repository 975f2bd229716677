import { inject, it } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    deep: boolean;
  }
}

/** Whether this is `npm run test:deep`, which runs exhaustive tests in full. */
export const isDeep = inject('deep');

/** Returns everything in the deep run, and otherwise every n-th item, which depends on `turn`. */
export const crossSection = <T>(all: readonly T[], every: number, turn = 0): T[] =>
  all.filter((_, index) => isDeep || index % every === turn % Math.min(every, all.length));

// Removes the tests instead of skipping them, so that they do not appear in the report.
const omitted = Object.assign(() => {}, { each: () => () => {}, for: () => () => {} });

/** For tests that run only in the deep run. */
export const deeply = <T extends object>(kind: T): T => (isDeep ? kind : (omitted as unknown as T));

export const itDeeply = deeply(it);

/** For tests that the deep run need not repeat, in a file that belongs to both runs. */
export const usually = <T extends object>(kind: T): T => (isDeep ? (omitted as unknown as T) : kind);

export const itUsually = usually(it);
