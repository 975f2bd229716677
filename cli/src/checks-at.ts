import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHECKS_FILE,
  type ChecksDefinition,
  ChecksFault,
  describeChecksFault,
  LARGEST_CHECKS_FILE,
  notPlainFile,
  readChecksFile,
} from '../../packages/protocol/checks-file.js';
import { broken } from './failure.js';

/** Reads the checks definition of a checkout. Rejects what the service rejects, with the same messages. */
export function readChecksAt(root: string): ChecksDefinition | undefined {
  const path = join(root, CHECKS_FILE);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  try {
    if (!found.isFile() || found.size > LARGEST_CHECKS_FILE)
      throw new ChecksFault(notPlainFile(LARGEST_CHECKS_FILE));
    return readChecksFile(readFileSync(path, 'utf8'));
  } catch (error) {
    throw error instanceof ChecksFault ? broken(describeChecksFault(error.message)) : error;
  }
}
