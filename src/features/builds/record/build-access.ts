import type { DeskCaller, MemberCaller } from '../../../kernel/access.js';
import { sha256Hex } from '../../../kernel/secrets.js';
import {
  alreadyFinished,
  buildNotFound,
  buildOfAnother,
  buildOfDesk,
  claimLost,
  finishedByDesk,
  notStarted,
} from '../builds.errors.js';
import type { BuildRow } from './builds.store.js';

export const CLAIM_HEADER = 'x-guildhall-claim';

export const hashClaim = (claim: string): string => sha256Hex(claim);

export const claimOf = (headers: Record<string, string | string[] | undefined>): string | undefined => {
  const claim = headers[CLAIM_HEADER];
  return typeof claim === 'string' ? claim : undefined;
};

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

export function requireOpenWork(
  build: BuildRow | undefined,
  caller: DeskCaller,
  claim: string | undefined,
): asserts build is BuildRow {
  requireClaim(build, caller, claim);
  if (build.finish_digest !== null) throw finishedByDesk();
  if (build.started_at === null) throw notStarted();
}

/** The desk that holds the claim, or the person with a local build. */
export interface Worker {
  brandId: number;
  deskId?: string;
  requireOwn(build: BuildRow | undefined): BuildRow;
  requireOpen(build: BuildRow | undefined): BuildRow;
}

export const deskWorker = (caller: DeskCaller, claim: string | undefined): Worker => ({
  brandId: caller.brandId,
  deskId: caller.deskId,
  requireOwn(build) {
    requireClaim(build, caller, claim);
    return build;
  },
  requireOpen(build) {
    requireOpenWork(build, caller, claim);
    return build;
  },
});

export function personWorker(caller: MemberCaller): Worker {
  function requireOwn(build: BuildRow | undefined): BuildRow {
    if (!build) throw buildNotFound();
    if (!build.local) throw buildOfDesk();
    if (build.created_by !== caller.userId) throw buildOfAnother();
    // Only the person's own report may be repeated.
    if (build.ended_at !== null && build.finish_digest === null) throw alreadyFinished(build.status);
    return build;
  }
  return {
    brandId: caller.brandId,
    requireOwn,
    requireOpen(build) {
      const own = requireOwn(build);
      if (own.finish_digest !== null) throw alreadyFinished(own.status);
      return own;
    },
  };
}

/** Ignores the order of keys. */
export const digestOf = (body: object): string =>
  sha256Hex(
    JSON.stringify(body, (_, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value,
    ),
  );
