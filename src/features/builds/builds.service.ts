import type { MemberCaller } from '../../kernel/access.js';
import { timePages } from '../../kernel/time-pages.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { createGatePass } from './analysis/analysis-runs.js';
import { createBudgetService } from './budget/budgets.service.js';
import { createPriceService } from './budget/prices.service.js';
import { createReservations } from './budget/reservations.js';
import { createSpendService } from './budget/spend.service.js';
import { createSpending } from './budget/spending.js';
import { alreadyFinished, buildNotFound, cursorRefused } from './builds.errors.js';
import { createBuildMetrics } from './builds.metrics.js';
import type { BuildList, BuildQuery, BuildView } from './builds.schemas.js';
import { createCheckDesk } from './desk/check-desk.service.js';
import { createHoldService } from './desk/holds.service.js';
import { createRunService } from './desk/run.service.js';
import { createUsageService } from './desk/usage.service.js';
import { createWorkService } from './desk/work.service.js';
import { createLifecycle } from './lifecycle/advance.js';
import { createAttempts } from './lifecycle/attempts.js';
import { createCardFollow } from './lifecycle/card-follow.js';
import { createConclusion } from './lifecycle/conclusion.js';
import { createBuildPass } from './lifecycle/pass.js';
import { createStallNews } from './lifecycle/stall-news.js';
import { createLifeSigns } from './log/life-signs.js';
import { createLogService } from './log/log.service.js';
import { createBuildNews } from './log/log-news.js';
import { createPolicyService } from './policy/policy.service.js';
import { createBuildViews } from './queue/build-views.js';
import { createQueueService } from './queue/queue.service.js';
import { createWorkBell } from './record/build-news.js';
import type { BuildOptions } from './record/builds.options.js';
import { type BuildRow, buildStore, type WordedBuild } from './record/builds.store.js';
import { reasonOfCancel } from './record/builds.views.js';
import { listBuildWeeks } from './record/figures.store.js';
import { orderOf, placeIn } from './record/review-queue.store.js';
import { createReviewing } from './review/reviewing.js';

export type { ReworkReason } from './builds.schemas.js';
export type { NextAttempt } from './lifecycle/attempts.js';
export type { CameBack, WayHome } from './record/builds.parts.js';
export type { BuildRow } from './record/builds.store.js';

const PAGE = 50;

export type BuildService = ReturnType<typeof createBuildService>;

/** Builds: from the wish on a card to what came of it. */
export function createBuildService(options: BuildOptions) {
  const { db, clock, notifications, cursorSecret } = options;
  const bell = createWorkBell(notifications);
  const news = createBuildNews(options);
  const cards = createCardFollow(options);
  const { countFinished, readOpen } = createBuildMetrics(options);
  const spending = createSpending({ ...options, bell });
  const reservations = createReservations(options);
  const lifecycle = createLifecycle({
    ...options,
    bell,
    cards,
    announceLogEnd: news.announceEnd,
    spending,
    reservations,
    countFinished,
  });
  const views = createBuildViews({ ...options, reservations });
  const lifeSigns = createLifeSigns(options);
  const holds = createHoldService({ ...options, bell });
  const queue = createQueueService({ ...options, bell, lifecycle, views });
  const attempts = createAttempts({ ...options, ...queue });
  const conclusion = createConclusion({ ...options, lifecycle, attempts });
  const reviewing = createReviewing({ ...options, bell, lifecycle, conclusion, attempts, reservations });

  async function getRow(brandId: number, buildId: string): Promise<BuildRow> {
    const row = await buildStore(db, brandId).find(buildId, clock.now());
    if (!row) throw buildNotFound();
    return row;
  }

  async function listTasks(brandId: number, rows: BuildRow[]): Promise<BuildList['tasks']> {
    const ids = [...new Set(rows.map(({ task_id }) => task_id))];
    const names = await options.boards.listCardNames(brandId, ids);
    return names.map(({ card_id, ...name }) => ({ task_id: card_id, ...name }));
  }

  return {
    ...queue,
    ...createPolicyService({ ...options, bell }),
    log: createLogService({ ...options, news, lifecycle, lifeSigns }),
    work: createWorkService({ ...options, bell, reservations, holds }),
    run: createRunService({ ...options, lifecycle, holds, conclusion }),
    holds,
    /** Which attempt comes after a build. */
    attempts,
    checks: createCheckDesk({ ...options, lifecycle, conclusion, attempts }),
    runGatePass: createGatePass({ ...options, goOnWithReviews: reviewing.goOn }),
    runPass: createBuildPass({
      ...options,
      lifecycle,
      conclusion,
      tellOfStalled: createStallNews(options),
    }),
    usage: createUsageService({ ...options, spending }),
    budgets: createBudgetService({ ...options, bell }),
    prices: createPriceService(options),
    spend: createSpendService(options),
    getRow,
    /** How many builds are open in which state, and how long the oldest of each is. */
    readOpen,
    listBuildWeeks: (brandId: number, since: Date) => listBuildWeeks(db, brandId, since),
    findWordedBuilds: (brandId: number, text: string, limit: number): Promise<WordedBuild[]> =>
      buildStore(db, brandId).findByWords(text, limit, clock.now()),
    show: (row: BuildRow): Promise<BuildView> => views.show(row, clock.now()),

    async getBuild(brandId: number, buildId: string): Promise<BuildView> {
      return views.show(await getRow(brandId, buildId), clock.now());
    },

    async listBuilds(brandId: number, query: BuildQuery): Promise<BuildList> {
      const now = clock.now();
      const limit = query.limit ?? PAGE;
      const pages = timePages(
        cursorSecret,
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

    /** One that waits, or that a person has, ends at once; of any other the desk is told, and ends it. */
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
      return views.show(row, now);
    },

    /** Desks that wait are answered at once, so that the node can stop. */
    stop(): void {
      bell.stop();
      lifeSigns.stop();
    },
  };
}
