import { ApiError } from '../../../kernel/errors.js';
import type { Tx } from '../../../platform/database/database.js';
import type { BuildRow, HostFeedback, NextAttempt, ReworkReason } from '../../builds/index.js';
import { type Check, type Forge, ForgeFailed, type Opinions, type Review } from '../adapter/forge.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import type { HostAnswer } from './host-answer.js';
import { forgeReworkStore, type PullRequestRow } from './pull-requests.store.js';
import { LOG_LINES, limitSize, MOST_CHECKS, MOST_FILES } from './rework-size.js';

export type SyncedRow = Pick<
  PullRequestRow,
  'brand_id' | 'project_id' | 'number' | 'build_id' | 'pushed_sha'
>;

type ReworkAnswer = Pick<HostAnswer, 'pullRequest' | 'checks' | 'opinions'>;

export interface PlannedRework {
  build: BuildRow;
  head: string;
  hostFeedback: HostFeedback;
  next: NextAttempt | undefined;
}

type ReworkDeps = Pick<ForgeOptions, 'clock' | 'log' | 'builds' | 'db'> & {
  projects: Pick<ForgeOptions['projects'], 'findProject' | 'commits'>;
};

export type ForgeRework = ReturnType<typeof createForgeRework>;

/** Starts at most one attempt for each pushed head. */
export function createForgeRework({ db, clock, log, builds, projects }: ReworkDeps) {
  /** Empty if our clone cannot determine them. */
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
    {
      build,
      because,
      earlier,
    }: { build: BuildRow; because: ReworkReason[]; earlier: readonly HostFeedback[] },
  ): Promise<HostFeedback | undefined> {
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
    /** Runs before the transaction, since it calls hosts. Undefined if no attempt should start now. */
    async plan(
      row: SyncedRow,
      answer: ReworkAnswer,
      { forge }: { forge: Pick<Forge, 'readCheckLog'> },
    ): Promise<PlannedRework | undefined> {
      const { brand_id: brandId, project_id: projectId, build_id: buildId, pushed_sha: pushed } = row;
      const { state, head } = answer.pullRequest;
      if (buildId === null || head.sha !== pushed || (state !== 'open' && state !== 'draft'))
        return undefined;
      const { attempts } = builds;
      const rules = await attempts.readRules(brandId);
      if (!rules.on_checks && !rules.on_changes_requested && !rules.on_conflict) return undefined;
      if (await forgeReworkStore(db, brandId).isKnown(projectId, head.sha)) return undefined;
      const build = await attempts.findToComeBack(brandId, buildId);
      if (!build) return undefined;
      const earlier = await attempts.listEarlier(brandId, build.task_id);
      const because = findReworkReasons(answer, build, earlier).filter((reason) => rules[`on_${reason}`]);
      if (because.length === 0) return undefined;
      // Only the card is updated, so the host need not be called.
      if (!(await attempts.hasRoom(build))) {
        const hostFeedback = { because, pull_request: row.number, checks: [], comments: [], files: [] };
        return { build, head: head.sha, hostFeedback, next: undefined };
      }
      const next = await attempts.prepare(build);
      if (!next) return undefined;
      const hostFeedback = await collect(row, answer, forge, { build, because, earlier });
      return hostFeedback && { build, head: head.sha, hostFeedback, next };
    },

    /** Must run in the transaction that applies the same answer. */
    async begin(tx: Tx, row: SyncedRow, planned: PlannedRework): Promise<void> {
      const { brand_id: brandId, project_id: projectId } = row;
      const { build, head, hostFeedback, next } = planned;
      // A later attempt was pushed meanwhile, so the plan is for another head.
      if (row.pushed_sha !== head) return;
      const heads = forgeReworkStore(tx, brandId);
      const because = hostFeedback.because.join(' ');
      if (!(await heads.claim({ projectId, sha: head, because, at: clock.now() }))) return;
      const came = await builds.attempts.startRework(tx, build, hostFeedback, next);
      if ('refused' in came) await heads.release(projectId, head);
      if ('begun' in came) {
        await heads.noteBuild(projectId, head, came.begun);
        log.info({ build: came.begun, because }, 'Reworks work that the repository host reported');
      }
      if ('followedBy' in came) await heads.noteBuild(projectId, head, came.followedBy);
    },
  };
}

/** How far the clocks of a host and of Guildhall may differ. */
const SKEW_MS = 60_000;

/** Returns why the head needs another attempt; running checks are no reason yet. */
export function findReworkReasons(
  { pullRequest, checks = [], opinions }: Pick<HostAnswer, 'pullRequest' | 'checks' | 'opinions'>,
  pushed: Pick<BuildRow, 'pushed_at'>,
  earlier: readonly HostFeedback[],
): ReworkReason[] {
  const reasons: ReworkReason[] = [];
  const finished = checks.every(({ state }) => state !== 'pending');
  if (finished && checks.some(({ state }) => state === 'failing')) reasons.push('checks');
  if (listRequests(opinions, pullRequest.head.sha, pushed, earlier).length > 0)
    reasons.push('changes_requested');
  if (pullRequest.mergeable === false) reasons.push('conflict');
  return reasons;
}

/** Excludes decisions that an earlier attempt received. */
export function listRequests(
  opinions: Opinions | undefined,
  head: string,
  { pushed_at }: Pick<BuildRow, 'pushed_at'>,
  earlier: readonly HostFeedback[],
): Review[] {
  const last = new Map<string, Review>();
  for (const review of opinions?.reviews ?? [])
    if (review.state !== 'commented') last.set(review.author, review);
  const given = new Set(earlier.flatMap(({ comments }) => comments).map(keyOf));
  return [...last.values()].filter(
    (review) =>
      review.state === 'changes_requested' &&
      !given.has(keyOf({ ...review, path: null })) &&
      isOfHead(review, head, pushed_at),
  );
}

/** If the host names no commit, a review from before the push belongs to another one. */
function isOfHead({ sha, at }: Review, head: string, pushedAt: Date | null): boolean {
  if (sha) return sha === head;
  const said = Date.parse(at);
  return pushedAt === null || Number.isNaN(said) || said + SKEW_MS >= pushedAt.getTime();
}

type Remark = Pick<HostFeedback['comments'][number], 'path' | 'author' | 'body' | 'at'>;

/** Identifies a comment without its line, which moves with later commits. */
export const keyOf = ({ path, author, at, body }: Remark): string =>
  JSON.stringify([path, author, at, body.slice(0, KEY_CHARACTERS)]);

/** Shorter than any cut of a comment. */
const KEY_CHARACTERS = 200;

const MOST_FAILURES = 3;

/** Undefined if a rate limit is reached; other failures only omit the log. */
export async function readFailing(
  forge: Pick<Forge, 'readCheckLog'>,
  checks: readonly Check[],
): Promise<HostFeedback['checks'] | undefined> {
  let failures = 0;

  async function readLog(check: Check): Promise<string | null> {
    while (failures < MOST_FAILURES) {
      try {
        return (await forge.readCheckLog(check, LOG_LINES)) ?? null;
      } catch (error) {
        if (!(error instanceof ForgeFailed) || error.fault === 'limited') throw error;
        if (error.fault !== 'unreachable') return null;
        failures += 1;
      }
    }
    return null;
  }

  try {
    const failing: HostFeedback['checks'] = [];
    for (const check of checks.filter(({ state }) => state === 'failing').slice(0, MOST_CHECKS))
      failing.push({ name: check.name, summary: check.summary, log: await readLog(check) });
    return failing;
  } catch (error) {
    if (!(error instanceof ForgeFailed)) throw error;
    return undefined;
  }
}
