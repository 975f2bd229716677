import type { Db } from '../../../database/database.js';
import { inTransaction } from '../../../database/transaction.js';
import type { MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { recordAudit } from '../../../services/audit.js';
import type { Jobs } from '../../../services/jobs.js';
import { buildNotFound } from '../builds.errors.js';
import type { BuildView, NewBuild, ReviewComment } from '../builds.schemas.js';
import { type BuildRow, buildStore } from '../builds.store.js';
import type { PreparedBuild } from '../queue/queue.service.js';
import { commentsOnlyForRework, commentsRequired, notSucceeded } from './review.errors.js';
import type { ReviewBody } from './review.schemas.js';
import { reviewStore } from './review.store.js';

/** The pass that brings accepted branches into their repositories. */
export const PUSH_JOB = 'build-push';

interface ReviewDeps {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  show(build: BuildRow): Promise<BuildView>;
  prepareBuild(caller: MemberCaller, taskId: string, input: NewBuild): Promise<PreparedBuild>;
  createBuild(
    caller: MemberCaller,
    taskId: string,
    input: NewBuild,
    more: { comments: ReviewComment[]; prepared?: PreparedBuild },
  ): Promise<BuildView>;
}

export type ReviewService = ReturnType<typeof createReviewService>;

/** What a person says to what a coder did. */
export function createReviewService({ db, clock, jobs, show, prepareBuild, createBuild }: ReviewDeps) {
  /** Once accepted, it stays as it is: the same word again changes nothing. */
  function accept(caller: MemberCaller, buildId: string): Promise<BuildRow> {
    return inTransaction(db, async (tx) => {
      const now = clock.now();
      const store = buildStore(tx, caller.brandId);
      const build = requireSucceeded(await store.lock(buildId, now));
      if (build.accepted_at !== null) return build;
      const hasWork = build.head_sha !== null && build.head_sha !== build.base_sha;
      await reviewStore(tx, caller.brandId).accept(buildId, {
        by: caller.userId,
        at: now,
        pushAt: hasWork ? now : null,
        error: hasWork ? null : 'This build has no commits to push',
      });
      await recordAudit(tx, {
        brandId: caller.brandId,
        actor: caller,
        action: 'build.accepted',
        subject: `build:${buildId}`,
        at: now,
      });
      if (hasWork) await jobs.trigger(tx, PUSH_JOB);
      return (await store.find(buildId, now))!;
    });
  }

  /** The card of a build, and what to ask for so that another attempt goes on from it. */
  async function nextAttempt(caller: MemberCaller, buildId: string): Promise<[string, NewBuild]> {
    const build = requireSucceeded(await buildStore(db, caller.brandId).find(buildId, clock.now()));
    const { task_id, coder, profile, base_branch } = build;
    return [task_id, { continues: buildId, coder, ...(profile !== null && { profile }), base_branch }];
  }

  return {
    /** Of a rework: what may wait for the repository's host. */
    async prepare(
      caller: MemberCaller,
      buildId: string,
      { decision, comments }: ReviewBody,
    ): Promise<PreparedBuild | undefined> {
      if (decision === 'accept' || !comments) return undefined;
      return prepareBuild(caller, ...(await nextAttempt(caller, buildId)));
    },

    async review(
      caller: MemberCaller,
      buildId: string,
      { decision, comments }: ReviewBody,
      prepared?: PreparedBuild,
    ): Promise<{ created: boolean; build: BuildView }> {
      if (decision === 'accept') {
        if (comments) throw commentsOnlyForRework();
        return { created: false, build: await show(await accept(caller, buildId)) };
      }
      if (!comments) throw commentsRequired();
      const [taskId, input] = await nextAttempt(caller, buildId);
      const said = comments.map(({ path, line = null, body }) => ({ path, line, body }));
      const build = await createBuild(caller, taskId, input, { comments: said, prepared });
      return { created: true, build };
    },
  };
}

function requireSucceeded(build: BuildRow | undefined): BuildRow {
  if (!build) throw buildNotFound();
  if (build.status !== 'succeeded') throw notSucceeded(build.status);
  return build;
}
