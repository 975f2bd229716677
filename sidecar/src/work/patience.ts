import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from './build-client.js';

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
const LONGEST_ASKED_MS = 120_000;
const MOST_UNKNOWN = 5;

/** Grows from try to try, with chance in it: desks that lost the service together must not come back together. */
export function createBackoff() {
  let next = FIRST_MS;
  return {
    reset: (): void => {
      next = FIRST_MS;
    },
    pause: (signal: AbortSignal, retryAfterSeconds = 0): Promise<void> => {
      const own = next * (0.5 + Math.random() / 2);
      next = Math.min(next * 2, LONGEST_MS);
      return pause(Math.max(own, Math.min(retryAfterSeconds * 1000, LONGEST_ASKED_MS)), signal);
    },
  };
}

/** Ends early, and quietly, when the signal comes. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch(() => {});

/** An answer that will not change by asking again. Whatever stands before the service may find a body too large for good. */
const isFinal = ({ status, isOurs }: Answer): boolean =>
  status === 413 || (isOurs && ((status >= 200 && status < 300) || [400, 409, 410, 422].includes(status)));

/**
 * Repeats a call until the service answered it for good; undefined when this process is about to end. A build that is
 * not found is asked for a few times: a service in the middle of its own update may not know the route.
 */
export async function deliver(send: () => Promise<Answer>, signal: AbortSignal): Promise<Answer | undefined> {
  const backoff = createBackoff();
  let unknown = 0;
  while (!signal.aborted) {
    const answer = await send();
    if (signal.aborted) return undefined;
    if (isFinal(answer)) return answer;
    if (answer.status === 404 && answer.isOurs && ++unknown >= MOST_UNKNOWN) return answer;
    await backoff.pause(signal, answer.retryAfter);
  }
  return undefined;
}
