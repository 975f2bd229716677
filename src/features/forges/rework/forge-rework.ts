import { ApiError } from '../../../kernel/errors.js';
import type { Tx } from '../../../platform/database/database.js';
import type { BuildRow, CameBack, NextAttempt, ReworkReason } from '../../builds/index.js';
import type { Forge } from '../adapter/forge.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import type { HostAnswer } from '../pull-requests/host-answer.js';
import type { PullRequestRow } from '../pull-requests/pull-requests.store.js';
import { readFailing } from './failing-checks.js';
import { forgeReworkStore } from './forge-reworks.store.js';
import { findReworkReasons, keyOf, listRequests } from './rework-reasons.js';
import { limitSize, MOST_FILES } from './rework-size.js';

export type SyncedRow = Pick<
  PullRequestRow,
  'brand_id' | 'project_id' | 'number' | 'build_id' | 'pushed_sha'
>;

type ReworkAnswer = Pick<HostAnswer, 'pullRequest' | 'checks' | 'opinions'>;

export interface PlannedRework {
  build: BuildRow;
  head: string;
  cameBack: CameBack;
  next: NextAttempt | undefined;
}

type ReworkDeps = Pick<ForgeOptions, 'clock' | 'log' | 'builds' | 'db'> & {
  projects: Pick<ForgeOptions['projects'], 'findProject' | 'commits'>;
};

export type ForgeRework = ReturnType<typeof createForgeRework>;

/** Starts another attempt after failed checks, requested changes or a conflict, at most once for each pushed head. */
export function createForgeRework({ db, clock, log, builds, projects }: ReworkDeps) {
  /** The conflicting files according to our own clone; none where it cannot tell. */
  async function listConflicts(
    { brand_id, project_id }: SyncedRow,
    { pullRequest }: ReworkAnswer,
  ): Promise<string[]> {
    try {
      const project = await projects.findProject(brand_id, project_id);
      if (!project?.repository_url) return [];
      const base = await projects.commits.findBranch(project, pullRequest.base.branch);
      if (!base || !(await projects.commits.bringCommit(project, pullRequest.head.sha))) return [];
      return await projects.commits.listConflicts(project, base.commit, pullRequest.head.sha, MOST_FILES);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return [];
    }
  }

  async function collect(
    row: SyncedRow,
    answer: ReworkAnswer,
    forge: Pick<Forge, 'readCheckLog'>,
    { build, because, earlier }: { build: BuildRow; because: ReworkReason[]; earlier: readonly CameBack[] },
  ): Promise<CameBack | undefined> {
    const { pullRequest, checks = [], opinions } = answer;
    const failing = await readFailing(forge, checks);
    if (!failing) return undefined;
    const given = new Set(earlier.flatMap(({ comments }) => comments).map(keyOf));
    const said = [
      ...listRequests(opinions, pullRequest.head.sha, build, earlier).map(({ author, body, at }) => ({
        path: null,
        line: null,
        author,
        body,
        at,
      })),
      ...(opinions?.comments ?? []).map(({ path, line, author, body, at }) => ({
        path,
        line,
        author,
        body,
        at,
      })),
    ];
    return limitSize({
      because,
      pull_request: row.number,
      checks: failing,
      comments: said.filter((remark) => !given.has(keyOf(remark))),
      files: pullRequest.mergeable === false ? await listConflicts(row, answer) : [],
    });
  }

  return {
    /** Before the transaction, since it asks hosts. Undefined where nothing is to be done, or not now. */
    async plan(
      row: SyncedRow,
      answer: ReworkAnswer,
      { forge }: { forge: Pick<Forge, 'readCheckLog'> },
    ): Promise<PlannedRework | undefined> {
      const { brand_id: brandId, project_id: projectId, build_id: buildId, pushed_sha: pushed } = row;
      const { state, head } = answer.pullRequest;
      if (buildId === null || head.sha !== pushed || (state !== 'open' && state !== 'draft'))
        return undefined;
      const { attempts } = builds();
      const rules = await attempts.readRules(brandId);
      if (!rules.on_checks && !rules.on_changes_requested && !rules.on_conflict) return undefined;
      if (await forgeReworkStore(db, brandId).isKnown(projectId, head.sha)) return undefined;
      const build = await attempts.findToComeBack(brandId, buildId);
      if (!build) return undefined;
      const earlier = await attempts.listEarlier(brandId, build.task_id);
      const because = findReworkReasons(answer, build, earlier).filter((reason) => rules[`on_${reason}`]);
      if (because.length === 0) return undefined;
      // Only the card is updated, so the host need not be asked.
      if (!(await attempts.hasRoom(build))) {
        const cameBack = { because, pull_request: row.number, checks: [], comments: [], files: [] };
        return { build, head: head.sha, cameBack, next: undefined };
      }
      const next = await attempts.prepare(build);
      if (!next) return undefined;
      const cameBack = await collect(row, answer, forge, { build, because, earlier });
      return cameBack && { build, head: head.sha, cameBack, next };
    },

    /** In the transaction that applies the same answer. */
    async begin(tx: Tx, row: SyncedRow, planned: PlannedRework): Promise<void> {
      const { brand_id: brandId, project_id: projectId } = row;
      const { build, head, cameBack, next } = planned;
      // A later attempt was pushed meanwhile, so the plan is for another head.
      if (row.pushed_sha !== head) return;
      const heads = forgeReworkStore(tx, brandId);
      const because = cameBack.because.join(' ');
      if (!(await heads.claim({ projectId, sha: head, because, at: clock.now() }))) return;
      const came = await builds().attempts.comeBack(tx, build, cameBack, next);
      if ('refused' in came) await heads.release(projectId, head);
      if ('begun' in came) {
        await heads.noteBuild(projectId, head, came.begun);
        log.info({ build: came.begun, because }, 'Work that came back is begun again');
      }
      if ('followedBy' in came) await heads.noteBuild(projectId, head, came.followedBy);
    },
  };
}
