import { randomInt } from 'node:crypto';

/** Always, never, or so often: 0.25 is every fourth time. */
export type Chance = boolean | number;

/** What goes wrong, as long as a test says so. */
export interface HostFaults {
  /** Calls are taken and never answered. */
  hang?: Chance;
  /** Calls are answered with this status. */
  status?: number;
  /** How often, where a status is set; always unless said. */
  statusChance?: Chance;
  /** Calls are answered with 429. */
  rateLimited?: { retryAfter: number; chance?: Chance };
  /** Calls are done, and the connection ends before the answer. */
  loseAnswers?: Chance;
  dropHooks?: Chance;
  doubleHooks?: Chance;
  /** Deliveries come a while later, so that others overtake them. */
  reorderHooks?: Chance;
  /** Before each delivery comes the same with a wrong signature. */
  forgeHooks?: Chance;
  /** The token may read and not push. */
  mayNotPush?: boolean;
  /** The token may push and open no pull request. */
  mayNotOpen?: boolean;
}

export function happens(chance: Chance | undefined): boolean {
  if (typeof chance !== 'number') return chance === true;
  return randomInt(1_000_000) < chance * 1_000_000;
}
