import type { DeskCaller } from '../../../kernel/access.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import { buildNotFound, claimLost, finishedByDesk, notStarted } from '../builds.errors.js';
import type { BuildRow } from './builds.store.js';

export const CLAIM_HEADER = 'x-guildhall-claim';

/** Only the hash of a claim is kept. */
export const hashClaim = (claim: string): string => sha256Hex(claim);

export const claimOf = (headers: Record<string, string | string[] | undefined>): string | undefined => {
  const claim = headers[CLAIM_HEADER];
  return typeof claim === 'string' ? claim : undefined;
};

/** The build that a desk speaks of, as long as its claim is the one that counts. */
export function requireClaim(
  build: BuildRow | undefined,
  caller: DeskCaller,
  claim: string | undefined,
): asserts build is BuildRow {
  if (!build) throw buildNotFound();
  const holds =
    claim !== undefined && build.workstation_id === caller.deskId && build.claim_hash === hashClaim(claim);
  if (!holds) throw claimLost();
  const dead = build.started_at === null && build.status !== 'claimed' && build.finish_digest === null;
  if (dead) throw claimLost();
}

/** A build that was started and that the desk has not finished: only then there is something to add to it. */
export function requireOpenWork(
  build: BuildRow | undefined,
  caller: DeskCaller,
  claim: string | undefined,
): asserts build is BuildRow {
  requireClaim(build, caller, claim);
  if (build.finish_digest !== null) throw finishedByDesk();
  if (build.started_at === null) throw notStarted();
}
