import { readFileSync } from 'node:fs';

/** What is exhaustive by nature, or lasts long for what it tells, has a run of its own: `npm run test:deep`. */
export const isUsual = (path: string) => !path.endsWith('.deep.test.ts');

/** Of a file that knows of both runs, the usual one tries a cross-section, and the deep one everything (`deep.ts`). */
export const isDeep = (path: string) =>
  !isUsual(path) || readFileSync(path, 'utf8').includes('/support/deep.js');
