import { errorCode } from '../connection/database-errors.js';

const CONSTRAINT_VIOLATIONS = new Set([
  '23503', // foreign key
  '23505', // unique
  '23514', // check
  '23P01', // exclusion
]);

/** The name of the constraint that a statement violated, or undefined when the error is another one. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!CONSTRAINT_VIOLATIONS.has(errorCode(error) ?? '')) return undefined;
  const { constraint } = error as { constraint?: unknown };
  return typeof constraint === 'string' ? constraint : undefined;
}
