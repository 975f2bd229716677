import * as checksFile from '../../../../packages/protocol/checks-file.js';
import { unprocessable } from '../../../kernel/errors.js';
import { Closed } from '../../../platform/http/declaration/schemas.js';
import { bodyValidator } from '../../../platform/http/request/validation.js';
import { repeatedCheck } from '../projects.errors.js';
import { CardChecks, type ProjectChecks, type ProjectChecksInput } from './checks.schemas.js';

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

const validate = bodyValidator(Closed({ agent_context: Closed({ checks: CardChecks }) }));

/** What a card adds to the checks of its project has their form; throws a sentence where it has not. */
export function requireCardChecks(checks: unknown): void {
  if (checks === undefined || checks === null) return;
  validate({ agent_context: { checks } });
  const names = (checks as { name: string }[]).map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw repeatedCheck(twice, 'agent_context.checks');
}
