import { AnalysisEnded, type AnalysisThread } from '../../../code/diff-analysis/analysis-thread.js';
import type { ChangedFile, Findings } from '../../../code/diff-analysis/analyze-change.js';
import { OWN_CHECKS } from '../../../code/diff-analysis/check-files.js';
import { noteNotAnalyzed } from '../../../code/diff-analysis/notes.js';
import { isGeneratedPath, isTestPath } from '../../../code/languages.js';
import { MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { ApiError } from '../../../kernel/errors.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import { runRoundRobin } from '../../../platform/jobs/batches.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import type { ProjectRow } from '../../projects/index.js';
import { findNamedPaths } from '../brief/brief-knowledge.js';
import { createCheckDefinition, originOf } from '../checks/check-rules.js';
import type { BuildCommits } from '../commits/commits.service.js';
import type { BuildDeps } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import type { Analysis, GateNote } from '../review.schemas.js';
import { analysisStore, type DueAnalysis, dueAnalyses, withAddedNotes } from './analysis.store.js';
import { judgeRisk } from './risk.js';
import { findGround, findMostUsed } from './task-ground.js';

interface AnalysisDeps extends BuildDeps {
  commits: BuildCommits;
  analysisThread: AnalysisThread;
}

const MOST_CANDIDATES = 500;
const nothingRead = (files: readonly ChangedFile[]): Findings => ({
  notes: [noteNotAnalyzed(files.map(({ path }) => path))],
  facts: { sources: 0, tests: 0, generated: 0, secrets: 0 },
});

const worthOf = (path: string): number =>
  isGeneratedPath(path) ? 0 : path.startsWith('.') || isTestPath(path) ? 2 : 1;

function createAnalysis(deps: AnalysisDeps) {
  const { log, boards, projects, commits, analysisThread } = deps;
  const findChecks = createCheckDefinition(deps);

  async function examineTexts(
    build: BuildRow,
    project: ProjectRow | undefined,
  ): Promise<[Findings, ChangedFile[]]> {
    const { files, leftOut } = await commits.readChangedTexts(build, worthOf);
    const found = await boards.findCardToBuild(build.brand_id, build.task_id);
    const texts = [found?.card.title ?? '', found?.card.instructions ?? '', build.note ?? ''];
    const candidates = (await findNamedPaths(texts)).slice(0, MOST_CANDIDATES);
    const paths = files.map(({ path }) => path);
    const ground = await findGround(await loadGraph(project), candidates, paths);
    try {
      const succeeded = build.outcome === null || build.outcome === 'succeeded';
      return [await analysisThread.analyze(build.brand_id, { files, leftOut, ground, succeeded }), files];
    } catch (error) {
      if (!(error instanceof AnalysisEnded)) throw error;
      log.warn({ err: error, build: build.build_id }, 'A change was not analyzed to its end');
      return [nothingRead(files), files];
    }
  }

  const loadGraph = async (project: ProjectRow | undefined) =>
    project && project.ready_index_id !== null ? projects.loadGraph(project) : undefined;

  async function countStale({ brand_id, build_id, head_sha }: BuildRow): Promise<number> {
    if (head_sha === null) return 0;
    try {
      return (await commits.foreseeImpact(brand_id, build_id)).stale.length;
    } catch (error) {
      // Show the build without a lesson count if the lessons cannot be read.
      if (!(error instanceof ApiError)) throw error;
      return 0;
    }
  }

  async function noteUnreadable(
    build: BuildRow,
    project: ProjectRow | undefined,
    files: readonly ChangedFile[],
  ): Promise<GateNote[]> {
    const fault = project && (await projects.checks.findAt(project, originOf(build))).fault;
    const after = files.find(({ path }) => path === OWN_CHECKS)?.after ?? null;
    const next = after === null ? undefined : projects.checks.findFault(after);
    return [...new Set([fault, next].filter((text) => text !== undefined))].map((text) => ({
      kind: 'checks_unreadable' as const,
      path: OWN_CHECKS,
      text,
    }));
  }

  return async (build: BuildRow): Promise<Analysis> => {
    const project = await projects.findProject(build.brand_id, build.project_id);
    const [{ notes: found, facts }, files] = await examineTexts(build, project);
    const notes = [...found, ...(await noteUnreadable(build, project, files))];
    const risk = judgeRisk({
      diff: build.diff,
      change: facts,
      notes,
      dependents: await findMostUsed(
        await loadGraph(project),
        files.flatMap(({ from }) => from ?? []),
      ),
      staleLessons: await countStale(build),
      hasChecks: (await findChecks(build)) !== undefined,
      attempt: build.attempt,
      guestWords: build.guest_words,
    });
    return { notes, risk };
  };
}

interface AnalysisJobDeps extends BuildDeps {
  commits: BuildCommits;
  analysisThread: AnalysisThread;
  continueReviews(signal: AbortSignal, result: JobResult): Promise<void>;
}

const AT_ONCE = 4;
const LEASE_SECONDS = 5 * MINUTE;
const MOST_TRIES = 3;
/** After this many failed analyses the build gets a fixed result, so that reviews do not wait forever. */
const REVIEW_EVERY_MS = 2000;
const NOT_READ: Analysis = {
  notes: [{ kind: 'not_read', text: 'The change could not be read' }],
  risk: { score: 20, reasons: [{ reason: 'not all of it could be read', points: 20 }] },
};

export function createAnalysisJob(deps: AnalysisJobDeps) {
  const { db, clock, log, continueReviews } = deps;
  const analyzeBuild = createAnalysis(deps);

  const save = (buildId: string, brandId: number, found: Analysis): Promise<void> =>
    inTransaction(db, async (tx) => {
      const store = analysisStore(tx, brandId);
      await store.save(buildId, withAddedNotes(found, await store.lockNotes(buildId)));
    });

  async function analyze({
    build_id: buildId,
    brand_id: brandId,
    examine_tries,
  }: DueAnalysis): Promise<boolean> {
    const build = await buildStore(db, brandId).find(buildId, clock.now());
    if (!build) return true;
    try {
      await save(buildId, brandId, await analyzeBuild(build));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError))
        log.error({ err: error, build: buildId }, 'A build could not be analyzed');
      // Retry first, because an unreachable repository may come back.
      if (examine_tries >= MOST_TRIES) await save(buildId, brandId, NOT_READ);
      return false;
    }
  }

  async function analyzeAll(signal: AbortSignal, result: JobResult): Promise<void> {
    let reviewedAt = performance.now();
    await runRoundRobin<DueAnalysis>({
      atOnce: AT_ONCE,
      signal,
      claimNext: (place) => {
        const now = clock.now();
        return dueAnalyses(db).claimNext(place, now, secondsFrom(now, LEASE_SECONDS));
      },
      work: async (due) => {
        const isDone = await analyze(due).catch((error: unknown) => {
          log.error({ err: error, build: due.build_id }, 'The analysis of a build could not be stored');
          return false;
        });
        result[isDone ? 'processed' : 'failed'] += 1;
      },
      between: async () => {
        if (performance.now() - reviewedAt < REVIEW_EVERY_MS) return;
        await continueReviews(signal, result);
        reviewedAt = performance.now();
      },
    });
  }

  return async ({ signal }: { signal: AbortSignal }): Promise<JobResult> => {
    const result = { processed: 0, failed: 0 };
    await analyzeAll(signal, result);
    await continueReviews(signal, result);
    return result;
  };
}
