import type { Db } from '../../database/database.js';
import { conflict } from '../../kernel/errors.js';
import type { BranchComparison, ProjectService } from '../projects/projects.service.js';
import { projectNotFound, unknownCommit } from './lessons.errors.js';
import type { ImpactAnswer } from './lessons.schemas.js';
import { lessonStore } from './lessons.store.js';

type LessonWithAnchors = Awaited<ReturnType<ReturnType<typeof lessonStore>['listWithAnchors']>>[number];

/** What a merge would do to the lessons, told before it happens. */
export function createImpactService({ db, projects }: { db: Db; projects: ProjectService }) {
  async function foresee(
    brandId: number,
    projectId: string,
    base: string,
    head: string,
  ): Promise<ImpactAnswer> {
    const project = await projects.findProject(brandId, projectId);
    if (!project) throw projectNotFound();
    if (project.repository_url === null) throw conflict('This project has no repository');
    const comparison = await projects.compare(project, base, head);
    if ('unknown' in comparison) throw unknownCommit(comparison.unknown);
    const answer: ImpactAnswer = {
      base: comparison.base,
      head: comparison.head,
      stale: [],
      moved: [],
      touched: [],
    };
    for (const { anchors, ...lesson } of await lessonStore(db, brandId).listWithAnchors(projectId)) {
      const gone = anchors.filter(({ path }) => comparison.moved.get(path) === null).map(({ path }) => path);
      const moves = anchors.flatMap(({ path }) => {
        const to = comparison.moved.get(path);
        return to ? [{ from: path, to }] : [];
      });
      const touched = anchors.filter(({ path }) => isTouched(comparison, path)).map(({ path }) => path);
      if (gone.length > 0 && wouldBeStale(anchors, comparison))
        answer.stale.push({ ...lesson, anchors: gone });
      if (moves.length > 0) answer.moved.push({ ...lesson, moves });
      if (touched.length > 0) answer.touched.push({ ...lesson, anchors: touched });
    }
    return answer;
  }

  return { foresee };
}

function wouldBeStale(anchors: LessonWithAnchors['anchors'], { moved }: BranchComparison): boolean {
  const code = anchors.filter(({ kind }) => kind !== 'folder');
  const deciding = code.length > 0 ? code : anchors;
  return deciding.every(({ path, bound, live }) => bound && (!live || moved.get(path) === null));
}

/** A folder is touched by whatever changes, goes or moves inside it. */
function isTouched({ touched, moved }: BranchComparison, path: string): boolean {
  if (touched.has(path)) return true;
  if (!path.endsWith('/') || moved.get(path) === null) return false;
  const isInside = (other: string) => path === '/' || other.startsWith(path);
  return [...touched].some(isInside) || [...moved.keys()].some((other) => other !== path && isInside(other));
}
