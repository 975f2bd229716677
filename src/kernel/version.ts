import { createRequire } from 'node:module';

/** The semantic version of the running program. */
export const version: string = createRequire(import.meta.url)('../../package.json').version;
