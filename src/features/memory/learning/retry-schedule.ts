import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';

/** How long a conversation waits after its first, second, third and fourth failed attempt. */
const WAITS = [10 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR];

/** When to try again after that many failed attempts; undefined: it has failed for good. */
export function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const wait = WAITS[attempts - 1];
  return wait === undefined ? undefined : secondsFrom(now, wait);
}
