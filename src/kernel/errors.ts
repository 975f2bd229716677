type ErrorDetail = string | Record<string, unknown>;

/** The only error whose status and detail are sent to the caller. */
export class ApiError extends Error {
  /** For an unknown field: the fields that exist, for callers that cannot look them up. */
  known?: readonly string[];

  constructor(
    readonly status: number,
    readonly detail: ErrorDetail,
    readonly headers: Record<string, string> = {},
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
    this.name = 'ApiError';
  }
}

export const notReachable = (what: string): string => `${what} is not reachable; try again shortly`;

/** How long callers should wait while the database fails over. */
export const OUTAGE_RETRY_SECONDS = 2;

const maker = (status: number) => (detail: ErrorDetail) => new ApiError(status, detail);

export const badRequest = maker(400);
export const paymentRequired = maker(402);
export const forbidden = maker(403);
export const conflict = maker(409);
export const preconditionFailed = maker(412);
export const tooLarge = maker(413);
export const unprocessable = maker(422);
export const badGateway = maker(502);
export const gatewayTimeout = maker(504);

export const notFound = (detail: ErrorDetail = 'Not found') => new ApiError(404, detail);

export const unauthorized = (
  detail: ErrorDetail = 'Not authenticated',
  headers: Record<string, string> = {},
) => new ApiError(401, detail, headers);

/** Pass `retryAfterSeconds` only if the condition ends without action by a person. */
export const unavailable = (detail: ErrorDetail, retryAfterSeconds?: number) =>
  new ApiError(503, detail, retryAfterSeconds === undefined ? {} : retryAfter(retryAfterSeconds));

export const tooManyRequests = (detail: ErrorDetail, retryAfterSeconds: number) =>
  new ApiError(429, detail, retryAfter(retryAfterSeconds));

export const retryAfter = (seconds: number): Record<string, string> => ({
  'retry-after': String(Math.max(1, Math.ceil(seconds))),
});
