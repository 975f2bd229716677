export interface GuildhallOptions {
  /** Where the service is, such as `https://guildhall.example`; in its own pages `''` will do. */
  url: string;
  /** A personal access token (or a desk's own token); without one the browser's session is used. */
  token?: string | undefined;
  /** The operator's key; it is sent with the operator's operations only. */
  adminKey?: string | undefined;
  /** How long to be patient with a service that is busy. */
  retry?: RetryOptions | undefined;
  /** Another `fetch`: behind a proxy, or in tests. */
  fetch?: typeof fetch | undefined;
}

export interface RetryOptions {
  /** How often a call that reads or has a key is repeated after a 429, a 503, a proxy's 502 or 504, or a refused connection; 5 by default, 0 for never. */
  times?: number | undefined;
  /** How many of them may be for refused connections; all unless said. */
  absences?: number | undefined;
  /** A longer `Retry-After` than this many seconds is not waited for; 120 unless said. */
  longestWait?: number | undefined;
}

export interface CallOptions {
  /** Ends the call, whatever it is doing; it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
  /** For calls that create: sent again within 24 hours, nothing is made twice. One is made up when none is given. */
  idempotencyKey?: string | undefined;
  /** Further request headers, such as `If-Match`. */
  headers?: Record<string, string> | undefined;
  /** Shows the answer's status and headers, such as `ETag`. */
  onResponse?: ((response: Response) => void) | undefined;
}

export interface StreamOptions {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** Told whenever the stream is connected, and whenever it was lost and is being resumed. */
  onState?: ((state: 'open' | 'lost') => void) | undefined;
}

/** One event of a stream; `id` is where it can be taken up again. */
export interface ServerEvent<T> {
  id: string | undefined;
  event: string;
  data: T;
}

/** The operation takes nothing. */
export type NoArguments = Record<string, never>;
