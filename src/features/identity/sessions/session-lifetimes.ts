import { secondsFrom } from '../../../kernel/clock.js';

export interface SessionLifetimes {
  /** How long a session lives without being used. */
  idleSeconds: number;
  /** How long it lives at most. */
  maxSeconds: number;
}

/** When a session ends, unless it is used before. */
export function sessionEnd(
  { idleSeconds, maxSeconds }: SessionLifetimes,
  { signedInAt, lastSeenAt }: { signedInAt: Date; lastSeenAt: Date },
): Date {
  const unused = secondsFrom(lastSeenAt, idleSeconds);
  const latest = secondsFrom(signedInAt, maxSeconds);
  return unused < latest ? unused : latest;
}
