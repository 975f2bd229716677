import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { type ProjectRow, PushFailed } from '../../projects/index.js';
import type { BuildCommits } from '../commits/commits.service.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { claimPushes, type DuePush, reviewStore } from './review.store.js';
import type { ReviewNotifications } from './review-notifications.js';

interface PushDeps extends BuildDeps {
  commits: BuildCommits;
  notifyReview: ReviewNotifications;
}

const AT_ONCE = 8;
/** Longer than most pushes. Pushing the same commit twice is harmless. */
export const LEASE_SECONDS = 2 * MINUTE;
const PAUSES = [MINUTE, 5 * MINUTE, 30 * MINUTE, 120 * MINUTE];
const NO_REPOSITORY = 'The project has no repository any more';
const UNEXPECTED = 'The push failed unexpectedly';

export function createPushJob(deps: PushDeps) {
  const { db, clock, log, projects, commits, notifyReview, inbox, pullRequests } = deps;

  /** Pushes to the branch of an open pull request if possible, else to its own branch. */
  async function pushBranch(project: ProjectRow, build: BuildRow, commit: string): Promise<string> {
    const open = await pullRequests.findBranch(db, build);
    if (open !== undefined && (await projects.commits.pushOnto(project, { commit, branch: open })))
      return open;
    await projects.commits.push(project, { commit, branch: build.branch });
    return build.branch;
  }

  async function push({ build_id: buildId, brand_id: brandId }: DuePush): Promise<void> {
    const build = await buildStore(db, brandId).find(buildId, clock.now());
    const project = build && (await projects.findProject(brandId, build.project_id));
    if (!build?.head_sha || !project?.repository_url) throw new PushFailed(NO_REPOSITORY, false);
    await commits.bringHead(project, build);
    const branch = await pushBranch(project, build, build.head_sha);
    await inTransaction(db, async (tx) => {
      const at = clock.now();
      if (!(await reviewStore(tx, brandId).notePushed(buildId, branch, at))) return;
      await recordAudit(tx, {
        brandId,
        actor: { kind: 'service' },
        action: 'build.pushed',
        subject: `build:${buildId}`,
        details: { branch, commit: build.head_sha },
        at,
      });
      await pullRequests.queueOpening(tx, build, branch);
      await notifyReview(tx, 'build.pushed', (await buildStore(tx, brandId).find(buildId, at))!, at);
    });
  }

  /** Notifies the person who accepted, because the card does not move. */
  async function noteFailure(due: DuePush, error: string, nextAt: Date | null): Promise<void> {
    const { brand_id: brandId, build_id: buildId } = due;
    await inTransaction(db, async (tx) => {
      const first = await reviewStore(tx, brandId).notePushFailed(buildId, error, nextAt);
      if (!first || first.accepted_by === null) return;
      const to = { users: [first.accepted_by] };
      const at = clock.now();
      await inbox.notify(tx, [
        { brandId, kind: 'push_failed', taskId: first.task_id, buildId, at, actor: null, excerpt: error, to },
      ]);
    });
  }

  async function pushOrSayWhy(due: DuePush): Promise<boolean> {
    try {
      await push(due);
      return true;
    } catch (error) {
      if (!(error instanceof PushFailed) && !(error instanceof ApiError))
        log.error({ err: error, build: due.build_id }, UNEXPECTED);
      const pause = error instanceof PushFailed && !error.mayPass ? undefined : PAUSES[due.push_attempts - 1];
      const nextAt = pause === undefined ? null : secondsFrom(clock.now(), pause);
      await noteFailure(due, explain(error), nextAt);
      return false;
    }
  }

  return async ({ signal }: { signal: AbortSignal }): Promise<JobResult> => {
    const result = { processed: 0, failed: 0 };
    while (!signal.aborted) {
      const now = clock.now();
      const due = await claimPushes(db, now, secondsFrom(now, LEASE_SECONDS), AT_ONCE);
      if (due.length === 0) break;
      for (const pushed of await Promise.all(due.map(pushOrSayWhy)))
        result[pushed ? 'processed' : 'failed'] += 1;
    }
    return result;
  };
}

/** An unexpected error may contain secrets, so its text is not shown. */
const explain = (error: unknown): string =>
  error instanceof PushFailed || (error instanceof ApiError && typeof error.detail === 'string')
    ? error.message
    : UNEXPECTED;
