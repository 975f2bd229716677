import { CursorCodec } from '../../../kernel/cursor.js';
import type { Db } from '../../../platform/database/database.js';
import type { ProjectService } from '../../projects/index.js';
import { notACursor } from '../lessons.errors.js';
import type { ListAnswer, ListQuery } from '../lessons.schemas.js';
import { lessonStore, type WordedLesson } from '../records/lessons.store.js';

export interface ListDeps {
  db: Db;
  projects: ProjectService;
  cursorSecret: string;
}

/** `GET entries`: the lessons of a project, page by page. */
export function createListService({ db, projects, cursorSecret }: ListDeps) {
  async function listLessons(brandId: number, query: ListQuery): Promise<ListAnswer> {
    const { project_id: projectId } = await projects.getProjectRow(brandId, query.project_id);
    const { prefix = null, type = null, stale = null, limit = 50 } = query;
    const cursors = new CursorCodec(cursorSecret, `lessons:${projectId}`);
    const after = query.cursor === undefined ? null : cursors.decode(query.cursor);
    if (after !== null && typeof after !== 'string') throw notACursor();
    const store = lessonStore(db, brandId);
    const { page, total } = await store.listPage({ projectId, prefix, type, stale }, after, limit + 1);
    const shown = page.slice(0, limit);
    const lessons = await store.readFull(shown.map((row) => row.lesson_no));
    return {
      items: shown.flatMap((row) => lessons.get(row.lesson_no) ?? []),
      total,
      next_cursor: page.length > limit ? cursors.encode(shown.at(-1)!.lesson_id) : null,
    };
  }

  return {
    listLessons,
    findWordedLessons: (brandId: number, text: string, limit: number): Promise<WordedLesson[]> =>
      lessonStore(db, brandId).findByWords(text, limit),
  };
}
