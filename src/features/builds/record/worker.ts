import type { DeskCaller, MemberCaller } from '../../../kernel/access.js';
import { alreadyFinished, buildNotFound, buildOfAnother, buildOfDesk } from '../builds.errors.js';
import type { BuildRow } from './builds.store.js';
import { requireClaim, requireOpenWork } from './claim-check.js';

/** Who does a build: the desk that holds its claim, or the person who has it on their own machine. */
export interface Worker {
  brandId: number;
  deskId?: string;
  /** Refuses everybody else. */
  requireOwn(build: BuildRow | undefined): BuildRow;
  /** The same, and refuses to add to what is finished. */
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
    // A person is told that somebody, or the clock, has ended it; only their own word may be repeated.
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
