import * as checksFile from '../../../../packages/protocol/checks-file.js';
import { unprocessable } from '../../../kernel/errors.js';
import type { ProjectChecks, ProjectChecksInput } from './checks.schemas.js';

/** The rule is shared with `guildhall checks run`, which must refuse what does not count here. */
function asAnswer<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof checksFile.ChecksFault ? unprocessable(error.message) : error;
  }
}

/** Of the same form as what a project is told; throws a sentence where it is not. */
export const readChecksFile = (text: string): ProjectChecks =>
  asAnswer(() => checksFile.readChecksFile(text));

/** What was validated, with everything that was left out. */
export const settleChecks = (input: ProjectChecksInput): ProjectChecks =>
  asAnswer(() => checksFile.settleChecks(input));
