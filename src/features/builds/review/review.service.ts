import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import {
  buildNotFound,
  commentsOnlyForRework,
  commentsRequired,
  decided,
  lineWithoutPath,
  notSucceeded,
  reviewOfReview,
} from '../builds.errors.js';
import type { BuildView, Decision, NewBuild } from '../builds.schemas.js';
import type { CommentService, GivenComment } from '../comments/comments.service.js';
import { inputAfter, type PreparedBuild } from '../lifecycle/attempts.js';
import { requireStep } from '../lifecycle/states.js';
import type { QueueService } from '../queue/queue.service.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { viewReview } from '../record/builds.views.js';
import type { ReviewBody } from '../review.schemas.js';
import { reviewStore } from './review.store.js';
import { bringsWork, type ReviewNotifications } from './review-notifications.js';

export const PUSH_JOB = 'build-push';

interface ReviewDeps extends BuildDeps {
  comments: CommentService;
  notifyReview: ReviewNotifications;
  queue: QueueService;
  show(build: BuildRow): Promise<BuildView>;
}

export type ReviewService = ReturnType<typeof createReviewService>;

export function createReviewService(deps: ReviewDeps) {
  const { db, clock, jobs, notifyReview, pullRequests, comments: said, show, queue } = deps;

  async function open(tx: Tx, caller: MemberCaller, buildId: string, decision: Decision): Promise<BuildRow> {
    const build = requireSucceeded(await buildStore(tx, caller.brandId).lock(buildId, clock.now()));
    refuseAnother(build, decision);
    return build;
  }

  /** Repeating it only retries a failed push. */
  function accept(caller: MemberCaller, buildId: string): Promise<BuildRow> {
    return inTransaction(db, async (tx) => {
      const now = clock.now();
      const build = await open(tx, caller, buildId, 'accept');
      // The work is merged already.
      if (await pullRequests.isMerged(tx, build)) return build;
      if (build.accepted_at !== null) return acceptAgain(tx, caller, build, now);
      requireStep(build, 'accept');
      const hasWork = bringsWork(build);
      await reviewStore(tx, caller.brandId).accept(buildId, {
        by: actorIdsOf(caller),
        at: now,
        pushAt: hasWork ? now : null,
        error: hasWork ? null : 'This build has no commits to push',
      });
      await audit(tx, caller, 'build.accepted', buildId, now);
      if (hasWork) await jobs.trigger(tx, PUSH_JOB);
      const sent = await said.sendWith(tx, caller, build, {
        given: [],
        at: now,
        decided: true,
        quiet: false,
      });
      const accepted = (await buildStore(tx, caller.brandId).find(buildId, now))!;
      await notifyReview(tx, 'build.accepted', accepted, now, sent);
      return accepted;
    });
  }

  async function acceptAgain(tx: Tx, caller: MemberCaller, build: BuildRow, now: Date): Promise<BuildRow> {
    if (build.push_error === null || !bringsWork(build)) return build;
    await reviewStore(tx, caller.brandId).pushAgain(build.build_id, now);
    await audit(tx, caller, 'build.push-retried', build.build_id, now);
    await jobs.trigger(tx, PUSH_JOB);
    return (await buildStore(tx, caller.brandId).find(build.build_id, now))!;
  }

  /** Repeating it keeps the first decision. */
  async function sendBack(tx: Tx, caller: MemberCaller, buildId: string, now: Date, brought: Brought) {
    const build = await open(tx, caller, buildId, 'rework');
    requireStep(build, 'send_back');
    const decided = build.reworked_at === null;
    return async () => {
      const sent = await said.sendWith(tx, caller, build, { ...brought, at: now, decided });
      if (!decided) return;
      await reviewStore(tx, caller.brandId).rework(buildId, { by: actorIdsOf(caller), at: now });
      await audit(tx, caller, 'build.reworked', buildId, now);
      const sentBack = (await buildStore(tx, caller.brandId).find(buildId, now))!;
      await notifyReview(tx, 'build.reworked', sentBack, now, sent);
    };
  }

  async function nextAttempt(caller: MemberCaller, buildId: string): Promise<[string, NewBuild]> {
    const build = requireSucceeded(await buildStore(db, caller.brandId).find(buildId, clock.now()));
    refuseAnother(build, 'rework');
    return [build.task_id, inputAfter(build)];
  }

  return {
    async prepare(
      caller: MemberCaller,
      buildId: string,
      { decision }: ReviewBody,
    ): Promise<PreparedBuild | undefined> {
      if (decision === 'accept') return undefined;
      return queue.prepareBuild(caller, ...(await nextAttempt(caller, buildId)));
    },

    async review(
      caller: MemberCaller,
      buildId: string,
      { decision, comments }: ReviewBody,
      { prepared, quiet = false }: { prepared?: PreparedBuild; quiet?: boolean } = {},
    ): Promise<{ created: boolean; build: BuildView }> {
      if (decision === 'accept') {
        if (comments) throw commentsOnlyForRework();
        return { created: false, build: await show(await accept(caller, buildId)) };
      }
      const [taskId, input] = await nextAttempt(caller, buildId);
      if (!comments && !(await said.asksForMore(caller, buildId))) throw commentsRequired();
      const given = comments ?? [];
      if (given.some(({ path, line }) => path === undefined && line !== undefined)) throw lineWithoutPath();
      const build = await queue.createBuild(caller, taskId, input, {
        prepared,
        decide: (tx, now) => sendBack(tx, caller, buildId, now, { given, quiet }),
      });
      return { created: true, build };
    },
  };
}

/** `quiet`: the comment has notified people already. */
interface Brought {
  given: readonly GivenComment[];
  quiet: boolean;
}

const audit = (tx: Tx, caller: MemberCaller, action: string, buildId: string, at: Date): Promise<void> =>
  recordAudit(tx, { brandId: caller.brandId, actor: caller, action, subject: `build:${buildId}`, at });

function refuseAnother(build: BuildRow, decision: Decision): void {
  const review = viewReview(build);
  if (review && review.decision !== decision) throw decided(review);
}

function requireSucceeded(build: BuildRow | undefined): BuildRow {
  if (!build) throw buildNotFound();
  if (build.kind === 'review') throw reviewOfReview();
  if (build.status !== 'succeeded') throw notSucceeded(build.status);
  return build;
}
