import { conflict } from '../../kernel/errors.js';
import { takeTurns } from '../../kernel/event-loop.js';
import type { Db } from '../../platform/database/database.js';
import type { ProjectService } from '../projects/index.js';
import { unknownCommit } from './lessons.errors.js';
import type { ImpactAnswer } from './lessons.schemas.js';
import { lessonStore } from './records/lessons.store.js';

type LessonWithAnchors = Awaited<ReturnType<ReturnType<typeof lessonStore>['listWithAnchors']>>[number];

/** What a merge would do to the lessons, told before it happens. */
export function createImpactService({ db, projects }: { db: Db; projects: ProjectService }) {
  async function foresee(
    brandId: number,
    projectId: string,
    base: string,
    head: string,
  ): Promise<ImpactAnswer> {
    const project = await projects.getProjectRow(brandId, projectId);
    if (project.repository_url === null) throw conflict('This project has no repository');
    const lessons = await lessonStore(db, brandId).listWithAnchors(projectId);
    const paths = [...new Set(lessons.flatMap(({ anchors }) => anchors.map(({ path }) => path)))];
    const comparison = await projects.compare({ project, base, head, paths });
    if ('unknown' in comparison) throw unknownCommit(comparison.unknown);
    const moved = new Map(comparison.moved);
    const touched = new Set(comparison.touched);
    const answer: ImpactAnswer = {
      base: comparison.base,
      head: comparison.head,
      stale: [],
      moved: [],
      touched: [],
    };
    const turn = takeTurns();
    for (const { anchors, ...lesson } of lessons) {
      const gone = anchors.filter(({ path }) => moved.get(path) === null).map(({ path }) => path);
      const moves = anchors.flatMap(({ path }) => {
        const to = moved.get(path);
        return to ? [{ from: path, to }] : [];
      });
      const changed = anchors.filter(({ path }) => touched.has(path)).map(({ path }) => path);
      if (gone.length > 0 && wouldBeStale(anchors, moved)) answer.stale.push({ ...lesson, anchors: gone });
      if (moves.length > 0) answer.moved.push({ ...lesson, moves });
      if (changed.length > 0) answer.touched.push({ ...lesson, anchors: changed });
      await turn();
    }
    return answer;
  }

  return { foresee };
}

function wouldBeStale(
  anchors: LessonWithAnchors['anchors'],
  moved: ReadonlyMap<string, string | null>,
): boolean {
  const code = anchors.filter(({ kind }) => kind !== 'folder');
  const deciding = code.length > 0 ? code : anchors;
  return deciding.every(({ path, bound, live }) => bound && (!live || moved.get(path) === null));
}
