import { readFileSync } from 'node:fs';

/** Exhaustive or slow tests run separately with `npm run test:deep`. */
export const isUsual = (path: string) => !path.endsWith('.deep.test.ts');

/** The usual run tests a cross-section of a file that imports `deep.ts`, and the deep run everything. */
export const isDeep = (path: string) =>
  !isUsual(path) || readFileSync(path, 'utf8').includes('/support/deep.js');
