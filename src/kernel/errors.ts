export type ErrorDetail = string | Record<string, unknown>;

/** The one error that reaches a caller: its status and detail are the public answer, word for word. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly detail: ErrorDetail,
    readonly headers: Record<string, string> = {},
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail));
    this.name = 'ApiError';
  }
}

const maker = (status: number) => (detail: ErrorDetail) => new ApiError(status, detail);

export const badRequest = maker(400);
export const paymentRequired = maker(402);
export const forbidden = maker(403);
export const conflict = maker(409);
export const preconditionFailed = maker(412);
export const tooLarge = maker(413);
export const unprocessable = maker(422);
export const badGateway = maker(502);
export const unavailable = maker(503);
export const gatewayTimeout = maker(504);

export const notFound = (detail: ErrorDetail = 'Not found') => new ApiError(404, detail);

export const unauthorized = (
  detail: ErrorDetail = 'Not authenticated',
  headers: Record<string, string> = {},
) => new ApiError(401, detail, headers);

export const tooManyRequests = (detail: ErrorDetail, retryAfterSeconds: number) =>
  new ApiError(429, detail, { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) });
