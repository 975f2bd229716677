import { createAnalysisThread } from '../../code/diff-analysis/analysis-thread.js';
import type { MemberCaller } from '../../kernel/access.js';
import { timePages } from '../../kernel/cursor.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { createAnalysisJob } from './analysis/analysis.service.js';
import { createBriefService } from './brief/brief.service.js';
import { createBudgetService } from './budget/budgets.service.js';
import { createPriceService } from './budget/prices.service.js';
import { createReservations } from './budget/reservations.js';
import { createSpendService } from './budget/spend.service.js';
import { createSpending } from './budget/spending.js';
import { alreadyFinished, buildNotFound, cursorRefused } from './builds.errors.js';
import { createBuildMetrics } from './builds.metrics.js';
import type { BuildList, BuildQuery, BuildView } from './builds.schemas.js';
import { createCoderService } from './coder/coder.service.js';
import { createCommentPlaces } from './comments/comment-places.js';
import { createCommentService } from './comments/comments.service.js';
import { createBuildCommits } from './commits/commits.service.js';
import { createCheckService } from './desk/checks.service.js';
import { createHoldService } from './desk/holds.service.js';
import { createRunService } from './desk/run.service.js';
import { createWorkService } from './desk/work.service.js';
import { createLifecycle } from './lifecycle/advance.js';
import { createAttempts } from './lifecycle/attempts.js';
import { createCardUpdates } from './lifecycle/card-updates.js';
import { createConclusion } from './lifecycle/conclusion.js';
import { createDueBuildsJob } from './lifecycle/due-builds.js';
import { createLifeSigns, createLogService } from './log/log.service.js';
import { createLogSubscriptions } from './log/log-subscriptions.js';
import { createPolicyService } from './policy/policy.service.js';
import { createQuestionService } from './questions/questions.service.js';
import { createBuildViews } from './queue/build-views.js';
import { createCoderList } from './queue/coder-list.service.js';
import { createQueueService } from './queue/queue.service.js';
import type { BuildDeps } from './record/build-deps.js';
import { listBuildWeeks, orderOf, placeIn } from './record/build-lists.store.js';
import { type BuildRow, buildStore, type WordedBuild } from './record/builds.store.js';
import { reasonOfCancel } from './record/builds.views.js';
import { createWorkSignal } from './record/work-signal.js';
import { createMentionReviews } from './review/mention-reviews.js';
import { createPushJob } from './review/push-job.js';
import { createReviewService } from './review/review.service.js';
import { createReviewNotifications } from './review/review-notifications.js';
import { createReviewerJob } from './review/reviewer-job.js';

export type { ReworkReason } from './builds.schemas.js';
export type { NextAttempt } from './lifecycle/attempts.js';
export type { HostFeedback, PullRequestsOfBuilds } from './record/build-deps.js';
export type { BuildRow } from './record/builds.store.js';

const PAGE = 50;

export type BuildService = ReturnType<typeof createBuildService>;

export function createBuildService(deps: BuildDeps) {
  const { db, clock } = deps;
  const analysisThread = createAnalysisThread();
  const commits = createBuildCommits(deps);
  const places = createCommentPlaces({ commits });
  const comments = createCommentService({ ...deps, places });
  const briefs = createBriefService({ ...deps, commits, comments });
  const coders = createCoderService(deps);
  const workSignal = createWorkSignal(deps);
  const logSubscriptions = createLogSubscriptions(deps);
  const { countFinished, readOpen } = createBuildMetrics(deps);
  const spending = createSpending({ ...deps, workSignal });
  const reservations = createReservations(deps);
  const lifecycle = createLifecycle({
    ...deps,
    workSignal,
    cards: createCardUpdates(deps),
    endToken: coders.endToken,
    publishLogEnd: logSubscriptions.publishEnd,
    spending,
    reservations,
    countFinished,
  });
  const questions = createQuestionService({ ...deps, lifecycle });
  const views = createBuildViews({ ...deps, reservations });
  const lifeSigns = createLifeSigns(deps);
  const holds = createHoldService({ ...deps, workSignal });
  const queue = createQueueService({ ...deps, workSignal, lifecycle, views, briefs });
  const attempts = createAttempts({ ...deps, ...queue, findAsker: coders.findAsker });
  const conclusion = createConclusion({ ...deps, lifecycle, attempts });
  const continueReviews = createReviewerJob({
    ...deps,
    places,
    workSignal,
    lifecycle,
    conclusion,
    attempts,
    reservations,
  });
  const notifyReview = createReviewNotifications(deps);
  const show = (row: BuildRow): Promise<BuildView> => views.show(row, clock.now());
  const reviews = createReviewService({ ...deps, comments, notifyReview, queue, show });

  async function getRow(brandId: number, buildId: string): Promise<BuildRow> {
    const row = await buildStore(db, brandId).find(buildId, clock.now());
    if (!row) throw buildNotFound();
    return row;
  }

  async function listTasks(brandId: number, rows: BuildRow[]): Promise<BuildList['tasks']> {
    const ids = [...new Set(rows.map(({ task_id }) => task_id))];
    const names = await deps.boards.listCardNames(brandId, ids);
    return names.map(({ card_id, ...name }) => ({ task_id: card_id, ...name }));
  }

  return {
    ...queue,
    ...createPolicyService({ ...deps, workSignal }),
    attempts,
    briefs,
    budgets: createBudgetService({ ...deps, workSignal }),
    checks: createCheckService({ ...deps, lifecycle, conclusion, attempts }),
    coders,
    listCoders: createCoderList(deps),
    comments,
    commits,
    holds,
    log: createLogService({ ...deps, logSubscriptions, lifecycle, lifeSigns }),
    prices: createPriceService(deps),
    questions,
    reviews,
    run: createRunService({ ...deps, lifecycle, holds, conclusion, spending, briefs, coders }),
    spend: createSpendService(deps),
    work: createWorkService({ ...deps, workSignal, reservations, holds }),

    runDueBuilds: createDueBuildsJob({ ...deps, lifecycle, conclusion, questions }),
    runAnalysis: createAnalysisJob({ ...deps, commits, analysisThread, continueReviews }),
    pushAccepted: createPushJob({ ...deps, commits, notifyReview }),
    /** Starts a rework when a comment on a card mentions its agent. */
    handleCardComment: createMentionReviews({ ...deps, attempts, reviews }),

    getRow,
    readOpen,
    listPersonalParts: comments.listPersonalParts,
    listBuildWeeks: (brandId: number, since: Date) => listBuildWeeks(db, brandId, since),
    findWordedBuilds: (brandId: number, text: string, limit: number): Promise<WordedBuild[]> =>
      buildStore(db, brandId).findByWords(text, limit, clock.now()),

    async getBuild(brandId: number, buildId: string): Promise<BuildView> {
      return show(await getRow(brandId, buildId));
    },

    async listBuilds(brandId: number, query: BuildQuery): Promise<BuildList> {
      const now = clock.now();
      const limit = query.limit ?? PAGE;
      const pages = timePages(
        deps.cursorSecret,
        `builds:${brandId}${query.review ? `:${query.review}` : ''}${query.sort ? `:by ${query.sort}` : ''}`,
        cursorRefused,
      );
      const order = orderOf(query.review, query.sort);
      const after = pages.read(query.cursor);
      const { builds, total } = await buildStore(db, brandId).list(query, after, limit + 1, now);
      const { page, next_cursor } = pages.cut(builds, limit, (build) => placeIn(order, build));
      return {
        builds: await views.showAll(page, now),
        total,
        next_cursor,
        ...(query.with === 'tasks' && { tasks: await listTasks(brandId, page) }),
      };
    },

    async cancelBuild(caller: MemberCaller, buildId: string): Promise<BuildView> {
      const now = clock.now();
      const row = await lifecycle.within(db, async (tx) => {
        const store = buildStore(tx, caller.brandId);
        const locked = await store.lock(buildId, now);
        if (!locked) throw buildNotFound();
        const build = await lifecycle.settle(tx, locked);
        if (build.finished_at !== null) throw alreadyFinished(build.status);
        await lifecycle.cancel(tx, build, reasonOfCancel(build));
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'build.canceled',
          subject: `build:${buildId}`,
          at: now,
        });
        return (await store.find(buildId, now))!;
      });
      return show(row);
    },

    /** Answers waiting desks at once so that the node can stop. */
    stopWaiting(): void {
      workSignal.stop();
      lifeSigns.stop();
    },

    stop: analysisThread.end,
  };
}
