import { createAnalysisThread } from '../../code/diff-analysis/analysis-thread.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Db } from '../../platform/database/database.js';
import type { Route } from '../../platform/http/declaration/route.js';
import type { JobDefinition, Jobs } from '../../platform/jobs/jobs.js';
import type { InboxNotices } from '../../platform/outbox/inbox-notices.js';
import type { WebhookOutbox } from '../../platform/outbox/webhook-outbox.js';
import type { SecretBox } from '../../platform/secrets/secret-box.js';
import type { BoardService } from '../boards/index.js';
import type { IdentityService } from '../identity/index.js';
import type { LessonService } from '../lessons/index.js';
import type { MemoryService } from '../memory/index.js';
import type { ProjectService } from '../projects/index.js';
import { createAnalysis } from './analysis/analysis.service.js';
import { briefRoutes } from './brief/brief.routes.js';
import { createBriefService } from './brief/brief.service.js';
import { createReviewBrief } from './brief/review-brief.js';
import type { BuildService } from './builds.service.js';
import { coderTools } from './coder/coder.routes.js';
import { createCoderService } from './coder/coder.service.js';
import { createCommentNews } from './comments/comment-news.js';
import { createCommentPlaces } from './comments/comment-places.js';
import { buildCommentRoutes } from './comments/comments.routes.js';
import { createCommentService } from './comments/comments.service.js';
import { diffRoutes } from './commits/commits.routes.js';
import { createBuildCommits } from './commits/commits.service.js';
import { deskCommitRoutes } from './desk/desk-commits.routes.js';
import { localRoutes } from './desk/local.routes.js';
import { createBaseResolver } from './queue/base.js';
import type { BuildParts, WayHome } from './record/builds.parts.js';
import { createCalls } from './review/calls.js';
import { createPushPass } from './review/push-pass.js';
import { createRemarks } from './review/remarks.js';
import { reviewRoutes } from './review/review.routes.js';
import { createReviewService, PUSH_JOB } from './review/review.service.js';
import { createReviewNews } from './review/review-news.js';

interface ExchangeDeps {
  db: Db;
  clock: Clock;
  log: Log;
  jobs: Jobs;
  secrets: SecretBox;
  baseUrl: string;
  identity: IdentityService;
  boards: BoardService;
  memory: MemoryService;
  projects: ProjectService;
  lessons: LessonService;
  outbox: Pick<WebhookOutbox, 'tell'>;
  inbox: InboxNotices;
  wayHome: WayHome;
}

/** What goes into a build and what comes out of it: brief, base, token; commits, conversation, review. */
export function createExchange(deps: ExchangeDeps) {
  const commits = createBuildCommits(deps);
  const places = createCommentPlaces({ commits });
  const comments = createCommentService({
    ...deps,
    places,
    news: createCommentNews(deps),
  });
  const briefs = createBriefService({ ...deps, commits, comments });
  const reviewBrief = createReviewBrief({ ...deps, commits });
  const remarks = createRemarks({ ...deps, places });
  const analysisThread = createAnalysisThread();
  const coders = createCoderService(deps);
  const tellReview = createReviewNews(deps);
  const parts: BuildParts = {
    resolveBase: createBaseResolver(deps.projects),
    writeBrief: ({ reviewed_build_id = null, ...build }) =>
      reviewed_build_id === null
        ? briefs.writeBrief(build)
        : reviewBrief({ brand_id: build.brand_id, reviewed_build_id }),
    analyze: createAnalysis({ ...deps, commits, analysisThread }),
    placeRemarks: remarks.place,
    keepRemarks: remarks.keep,
    issueToken: coders.issueToken,
    endToken: coders.endToken,
    findAsker: coders.findAsker,
    handOver: coders.handOver,
    pullRequests: deps.wayHome,
  };

  return {
    parts,
    authenticateCoder: coders.authenticate,
    /** The thread that analyzes changes. */
    stop: analysisThread.end,
    /** What people said to builds, for whoever asks what is kept about them. */
    listPersonalParts: comments.listPersonalParts,
    /** Known at the agents' door only. */
    tools: coderTools(coders),

    routes: ({
      show,
      prepareBuild,
      createBuild,
      run,
      checks,
      attempts,
    }: Pick<
      BuildService,
      'show' | 'prepareBuild' | 'createBuild' | 'run' | 'checks' | 'attempts'
    >): Route[] => {
      const reviews = createReviewService({ ...deps, tellReview, comments, show, prepareBuild, createBuild });
      // People review in comments too.
      deps.boards.onComment(createCalls({ ...deps, attempts, reviews }));
      return [
        ...briefRoutes(briefs),
        ...diffRoutes(commits),
        ...deskCommitRoutes(commits, checks),
        ...localRoutes({ commits, run }),
        ...reviewRoutes(reviews),
        ...buildCommentRoutes(comments),
      ];
    },

    pushJobs: [
      {
        name: PUSH_JOB,
        description: 'Pushes accepted branches to their repositories.',
        schedule: { everySeconds: 15 },
        run: createPushPass({ ...deps, commits, tellReview }),
      },
    ] satisfies JobDefinition[],
  };
}
