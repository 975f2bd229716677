import type { MemberCaller } from '../../kernel/access.js';
import { timePages } from '../../kernel/time-pages.js';
import { recordAudit } from '../../services/audit/audit.js';
import { createWorkBell } from './build-news.js';
import { alreadyFinished, buildNotFound, cursorRefused } from './builds.errors.js';
import { createBuildMetrics } from './builds.metrics.js';
import type { BuildOptions } from './builds.options.js';
import type { BuildList, BuildQuery, BuildView } from './builds.schemas.js';
import { type BuildRow, buildStore } from './builds.store.js';
import { LOCAL_REASONS, REASONS } from './builds.views.js';
import { createCardFollow } from './cards/card-follow.js';
import { createLifeSigns } from './desk/life-signs.js';
import { createRunService } from './desk/run.service.js';
import { createWorkService } from './desk/work.service.js';
import { createEndings } from './endings.js';
import { listBuildWeeks } from './figures.store.js';
import { createHoldService } from './holds/holds.service.js';
import { createLogService } from './log/log.service.js';
import { createBuildNews } from './log/log-news.js';
import { createBuildPass } from './pass.js';
import { createBuildViews } from './queue/build-views.js';
import { createPolicyService } from './queue/policy.service.js';
import { createQueueService } from './queue/queue.service.js';
import { queueStore } from './queue/queue.store.js';
import { orderOf } from './review/review-queue.store.js';
import { createStarts } from './starts.js';

const PAGE = 50;

export type BuildService = ReturnType<typeof createBuildService>;

/** Builds: from the wish on a card to what came of it. */
export function createBuildService(options: BuildOptions) {
  const { db, clock, notifications, cursorSecret } = options;
  const bell = createWorkBell(notifications);
  const news = createBuildNews(options);
  const cards = createCardFollow(options);
  const { countFinished } = createBuildMetrics(options);
  const endings = createEndings({ ...options, cards, news, countFinished });
  const views = createBuildViews(options);
  const lifeSigns = createLifeSigns(options);
  const holds = createHoldService({ ...options, bell });
  const begin = createStarts({ ...options, cards });
  const queue = createQueueService({ ...options, bell, begin, endings, views });

  async function getRow(brandId: number, buildId: string): Promise<BuildRow> {
    const row = await buildStore(db, brandId).find(buildId, clock.now());
    if (!row) throw buildNotFound();
    return row;
  }

  async function listTasks(brandId: number, rows: BuildRow[]): Promise<BuildList['tasks']> {
    const ids = [...new Set(rows.map(({ task_id }) => task_id))];
    const names = await options.boards.listCardNames(brandId, ids);
    return names.map(({ card_id, board_id, title }) => ({ task_id: card_id, board_id, title }));
  }

  return {
    ...queue,
    ...createPolicyService({ ...options, bell }),
    log: createLogService({ ...options, news, endings, lifeSigns }),
    work: createWorkService({ ...options, bell }),
    run: createRunService({ ...options, begin, endings, holds }),
    holds,
    runPass: createBuildPass({ ...options, bell, endings }),
    getRow,
    listBuildWeeks: (brandId: number, since: Date) => listBuildWeeks(db, brandId, since),
    show: (row: BuildRow): Promise<BuildView> => views.show(row, clock.now()),

    async getBuild(brandId: number, buildId: string): Promise<BuildView> {
      return views.show(await getRow(brandId, buildId), clock.now());
    },

    async listBuilds(brandId: number, query: BuildQuery): Promise<BuildList> {
      const now = clock.now();
      const limit = query.limit ?? PAGE;
      const pages = timePages(
        cursorSecret,
        `builds:${brandId}${query.review ? `:${query.review}` : ''}`,
        cursorRefused,
      );
      const { moment } = orderOf(query.review);
      const after = pages.read(query.cursor);
      const { builds, total } = await buildStore(db, brandId).list(query, after, limit + 1, now);
      const { page, next_cursor } = pages.cut(builds, limit, (build) => ({
        at: build[moment]!,
        id: build.build_id,
      }));
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
      const row = await endings.within(db, async (tx) => {
        const store = buildStore(tx, caller.brandId);
        const locked = await store.lock(buildId, now);
        if (!locked) throw buildNotFound();
        const build = await endings.settle(tx, locked);
        if (build.finished_at !== null) throw alreadyFinished(build.status);
        await queueStore(tx, caller.brandId).requestCancel(buildId, now);
        if (build.status === 'queued' || build.local) {
          const { canceled: reason } = build.local ? LOCAL_REASONS : REASONS;
          await endings.end(tx, build, { outcome: 'canceled', at: now, reason });
        } else await bell.announce(tx, caller.brandId, build.workstation_id);
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
      news.stop();
      lifeSigns.stop();
    },
  };
}
