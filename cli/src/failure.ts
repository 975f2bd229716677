import { GuildhallError } from '../../client/src/index.js';

export const EXIT = { success: 0, failure: 1, usage: 2, signedOut: 4 } as const;

interface Facts {
  code: number;
  hint?: string | undefined;
  requestId?: string | undefined;
}

/** An error whose message is written for the user. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly facts: Facts,
  ) {
    super(message);
  }
}

export const misuse = (message: string, hint?: string) => new Failure(message, { code: EXIT.usage, hint });
export const broken = (message: string, hint?: string) => new Failure(message, { code: EXIT.failure, hint });
export const cancelled = () => new Failure('Cancelled', { code: EXIT.usage });
export const signedOut = (message: string, hint = 'Sign in with: guildhall login') =>
  new Failure(message, { code: EXIT.signedOut, hint });

const FIELDS_HINT = "The server's /docs lists the fields of each operation.";

export interface Explanation extends Facts {
  message: string;
}

/** Turns any error into a message, a hint and an exit code. */
export function explain(error: unknown): Explanation {
  if (error instanceof Failure) return { message: error.message, ...error.facts };
  if (error instanceof GuildhallError) return explainRefusal(error);
  if (isAbort(error)) return { message: 'Cancelled', code: EXIT.usage };
  // The client rejects invalid ids and unknown fields before it sends a request.
  const [, field] = (error instanceof TypeError && / has no field (.+)$/.exec(error.message)) || [];
  if (field !== undefined)
    return { message: `Unknown field ${JSON.stringify(field)}`, code: EXIT.usage, hint: FIELDS_HINT };
  return { message: error instanceof Error ? error.message : String(error), code: EXIT.failure };
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError';

function explainRefusal(error: GuildhallError): Explanation {
  const { status, requestId, message } = error;
  const code = status === 401 ? EXIT.signedOut : EXIT.failure;
  return { message, code, hint: adviceFor(error), requestId };
}

function adviceFor({ status, retryAfter }: GuildhallError): string | undefined {
  if (status === 0) return 'Check the server address with: guildhall context';
  if (status === 401) return 'Sign in again with: guildhall login';
  if (status === 403) return 'Check your permissions with: guildhall whoami';
  if (status === 404) return 'Check the id. The list command of the same group shows the available ids.';
  if (status === 409) return 'Check the current state, then try again.';
  if (status === 422 || status === 400)
    return 'Run the command with --help to see its arguments and options.';
  if (status === 429) return retryAfter ? `Try again in ${retryAfter} s.` : 'Try again later.';
  if (status >= 500) return 'Try again. If the error persists, send the request id to the operator.';
  return undefined;
}
