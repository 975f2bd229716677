import { delimiter, join } from 'node:path';
import type { DeskFiles } from '../desk-files.js';

/** Where programs of coders are looked for, and what coders get as their path. */
export const coderPath = ({ runtimePrefix }: Pick<DeskFiles, 'runtimePrefix'>): string[] =>
  [join(runtimePrefix, 'bin'), ...(process.env['PATH'] ?? '').split(delimiter)].filter(
    (folder) => folder !== '',
  );
