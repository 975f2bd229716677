/** The reason for an error response: a sentence, or an object with details. */
export type ErrorDetail = string | Record<string, unknown>;

interface ErrorFacts {
  status: number;
  detail: ErrorDetail;
  requestId?: string | undefined;
  operation?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Thrown by every call that fails, except by an aborted call. */
export class GuildhallError extends Error {
  override readonly name = 'GuildhallError';
  /** The HTTP status, or 0 if there was no answer. */
  readonly status: number;
  readonly detail: ErrorDetail;
  /** The id of the request in the service's log. Include it when you report a problem. */
  readonly requestId: string | undefined;
  /** The name of the method that was called. */
  readonly operation: string | undefined;
  /** The number of seconds to wait before the next try, if the service sent one. */
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

/** A structured error has its sentence in `message`. */
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
    // The answer is not from Guildhall: a proxy in between may return its own error pages.
    return undefined;
  }
}

/** The error for a successful response that is not from Guildhall, such as a proxy's page. */
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

/** Returns seconds for both forms of the header, a number and a date. */
export function readRetryAfter(response: Response): number | undefined {
  const text = response.headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text.trim())) return Number(text);
  const seconds = (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}
