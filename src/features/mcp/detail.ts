import { unprocessable } from '../../kernel/errors.js';
import type { Arguments } from './arguments.js';
import type { AgentOperation } from './operations.js';

const DETAILS = ['summary', 'full'] as const;

/** The argument of operations that tell their answer in brief. */
export const DETAIL = {
  type: 'string',
  enum: [...DETAILS],
  default: 'summary',
  description: 'How much of it to answer.',
};

/** Takes the wish for all of the answer out of the arguments, which the route itself does not know. */
export function takeDetail(
  { direct }: AgentOperation,
  given: Arguments,
): { args: Arguments; brief?: readonly string[] } {
  if (!direct?.brief) return { args: given };
  const { detail = 'summary', ...args } = given;
  if (!DETAILS.includes(detail as never)) throw unprocessable(`detail must be one of: ${DETAILS.join(', ')}`);
  return detail === 'full' ? { args } : { args, brief: direct.brief };
}

/** So much of an answer, in its own order. */
export const abridge = (data: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => names.includes(name)));
