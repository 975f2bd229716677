import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';

/** How long after a failure the next attempt comes; the first one comes at once. */
const PAUSES = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 6 * HOUR];

/** When to try again after so many failures; undefined when it was the last attempt. */
export function nextAttempt(failures: number, failedAt: Date): Date | undefined {
  const pause = PAUSES[failures - 1];
  return pause === undefined ? undefined : secondsFrom(failedAt, pause);
}
