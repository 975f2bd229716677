/** What the service says of a refusal: one sentence, or an object with the facts. */
export type ErrorDetail = string | Record<string, unknown>;

interface ErrorFacts {
  status: number;
  detail: ErrorDetail;
  requestId?: string | undefined;
  operation?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Every call that fails throws one of these, except one that was aborted. */
export class GuildhallError extends Error {
  override readonly name = 'GuildhallError';
  /** The HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly detail: ErrorDetail;
  /** As the service's log has it; worth telling the operator. */
  readonly requestId: string | undefined;
  /** The method that was called. */
  readonly operation: string | undefined;
  /** After how many seconds to try again, where the service said so. */
  readonly retryAfter: number | undefined;

  constructor({ status, detail, requestId, operation, retryAfter, cause }: ErrorFacts) {
    super(sentenceOf(detail), cause === undefined ? undefined : { cause });
    this.status = status;
    this.detail = detail;
    this.requestId = requestId;
    this.operation = operation;
    this.retryAfter = retryAfter;
  }
}

/** A structured refusal carries its sentence as `message`. */
function sentenceOf(detail: ErrorDetail): string {
  if (typeof detail === 'string') return detail;
  const { message } = detail;
  return typeof message === 'string' ? message : JSON.stringify(detail);
}

export async function readError(response: Response, operation: string): Promise<GuildhallError> {
  const text = await response.text().catch(() => '');
  return new GuildhallError({
    status: response.status,
    detail: detailOf(text) ?? describeStatus(response),
    requestId: response.headers.get('x-request-id') ?? undefined,
    operation,
    retryAfter: readRetryAfter(response),
  });
}

function describeStatus(response: Response): string {
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
  if (!isRedirect) return `The service answered ${response.status}`;
  const place = response.headers.get('location');
  return `The address redirects${place ? ` to ${place}` : ''}; give the client the address it leads to`;
}

function detailOf(text: string): ErrorDetail | undefined {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === 'string') return detail;
    return typeof detail === 'object' && detail !== null ? (detail as Record<string, unknown>) : undefined;
  } catch {
    // Not ours: a proxy in between has pages of its own.
    return undefined;
  }
}

/** It went well, and is nothing that the service says: a page of a proxy, or of somebody else. */
export const strangeAnswer = (
  response: Response,
  operation: string,
  what: string,
  cause?: unknown,
): GuildhallError =>
  new GuildhallError({
    status: response.status,
    detail: `${what}; is this the address of a Guildhall?`,
    requestId: response.headers.get('x-request-id') ?? undefined,
    operation,
    cause,
  });

export const unreachable = (operation: string, cause: unknown): GuildhallError =>
  new GuildhallError({
    status: 0,
    detail: 'The service cannot be reached. Check the connection and try again.',
    operation,
    cause,
  });

/** Seconds, whichever of its two forms the header has. */
export function readRetryAfter(response: Response): number | undefined {
  const text = response.headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
