import { readRetryAfter } from './errors.js';
import type { RetryOptions } from './options.js';

const USUAL_TIMES = 5;
const USUAL_LONGEST_WAIT = 120;
const FIRST_PAUSE = 0.5;

/** Sends a request, and retries it while the service is busy or unreachable if it is repeatable. */
export async function sendPatiently(
  send: () => Promise<Response>,
  { repeatable, outlastsOutages }: { repeatable: boolean; outlastsOutages: boolean },
  { times = USUAL_TIMES, longestWait = USUAL_LONGEST_WAIT, absences = times }: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<Response> {
  for (let repeated = 0; ; repeated += 1) {
    const response = await send().catch((error: unknown) => {
      const isTried = repeatable && outlastsOutages && repeated < Math.min(times, absences);
      if (!isTried || !isAway(error)) throw error;
      return undefined;
    });
    if (!response) {
      await pause(FIRST_PAUSE * 2 ** repeated, signal);
      continue;
    }
    const seconds = repeatable && repeated < times ? secondsToWait(response, repeated) : undefined;
    if (seconds === undefined || seconds > longestWait) return response;
    await response.body?.cancel();
    await pause(seconds, signal);
  }
}

/** Error codes for a service that is restarting, or for a broken connection. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EAI_AGAIN',
  'UND_ERR_SOCKET',
  'ConnectionRefused',
  'ConnectionReset',
]);

/** An unknown host name or an untrusted certificate is not retried, because waiting does not fix it. */
function isAway(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (AWAY.has(String(codeOf(at)))) return true;
  return false;
}

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined);

/** A 409 with `Retry-After` means that the first call with the same idempotency key is still running. */
function secondsToWait(response: Response, repeated: number): number | undefined {
  const asked = readRetryAfter(response);
  if (response.status === 409) return asked;
  if (!isPassing(response)) return undefined;
  return asked ?? FIRST_PAUSE * 2 ** repeated;
}

/**
 * A proxy answers 502 or 504 while its node is down. The service's own (with a request id) report an upstream
 * failure after it has waited itself, so they are retried only with `Retry-After`.
 */
function isPassing({ status, headers }: Response): boolean {
  if (status === 429 || status === 503) return true;
  const isFinal = headers.has('x-request-id') && !headers.has('retry-after');
  return (status === 502 || status === 504) && !isFinal;
}

export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(end, seconds * 1000);
    signal?.addEventListener('abort', stop, { once: true });
    function end() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}
