import { AnalysisEnded, type AnalysisThread } from '../../../code/diff-analysis/analysis-thread.js';
import type { ChangedFile, Findings } from '../../../code/diff-analysis/analyze-change.js';
import { OWN_CHECKS } from '../../../code/diff-analysis/check-files.js';
import { noteNotAnalyzed } from '../../../code/diff-analysis/notes.js';
import { isGeneratedPath } from '../../../code/languages/file-kinds.js';
import { isTestPath } from '../../../code/languages/test-paths.js';
import { ApiError } from '../../../kernel/errors.js';
import type { Log } from '../../../kernel/log.js';
import type { BoardService } from '../../boards/index.js';
import type { LessonService } from '../../lessons/index.js';
import type { ProjectRow, ProjectService } from '../../projects/index.js';
import type { Analysis, GateNote } from '../analysis.schemas.js';
import { findNamedPaths } from '../brief/named-paths.js';
import { createCheckDefinition, originOf } from '../checks/check-definition.js';
import type { BuildCommits } from '../commits/commits.service.js';
import type { BuildRow } from '../record/builds.store.js';
import { judgeRisk } from './risk.js';
import { findGround, findMostUsed } from './task-ground.js';

interface AnalysisDeps {
  log: Log;
  boards: Pick<BoardService, 'findCardToBuild'>;
  projects: Pick<ProjectService, 'findProject' | 'loadGraph' | 'checks'>;
  lessons: Pick<LessonService, 'foresee'>;
  commits: Pick<BuildCommits, 'readChangedTexts' | 'foreseeImpact'>;
  analysisThread: Pick<AnalysisThread, 'analyze'>;
}

const MOST_CANDIDATES = 500;
const nothingRead = (files: readonly ChangedFile[]): Findings => ({
  notes: [noteNotAnalyzed(files.map(({ path }) => path))],
  facts: { sources: 0, tests: 0, generated: 0, secrets: 0 },
});

/** Of what does not fit, that is left out which says least. */
const worthOf = (path: string): number =>
  isGeneratedPath(path) ? 0 : path.startsWith('.') || isTestPath(path) ? 2 : 1;

/** Looks at what a build brought: what a person should know of it, and how much of a risk it is. */
export function createAnalysis(deps: AnalysisDeps) {
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
      // A number without lessons is better than none.
      if (!(error instanceof ApiError)) throw error;
      return 0;
    }
  }

  /** What the repository says of its checks and cannot be understood: at the base, where it counts, and as it would be from now on. */
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
