import { Closed } from '../../../platform/http/declaration/schemas.js';
import { bodyValidator } from '../../../platform/http/request/validation.js';
import { repeatedCheck } from '../projects.errors.js';
import { CardChecks } from './checks.schemas.js';

const validate = bodyValidator(Closed({ agent_context: Closed({ checks: CardChecks }) }));

/** What a card adds to the checks of its project has their form; throws a sentence where it has not. */
export function requireCardChecks(checks: unknown): void {
  if (checks === undefined || checks === null) return;
  validate({ agent_context: { checks } });
  const names = (checks as { name: string }[]).map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw repeatedCheck(twice, 'agent_context.checks');
}
