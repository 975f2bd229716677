import { LRUCache } from 'lru-cache';
import type { Db } from '../../../platform/database/database.js';
import type { ProjectRow } from '../../projects/index.js';
import { type AnchoredLesson, lessonStore } from '../records/lessons.store.js';

const MOST_REMEMBERED = 200_000;

export type AnchoredLessons = ReturnType<typeof cacheAnchoredLessons>;

/** Which lessons stand on which nodes, by project, for the versions of index and lessons they were read at. */
export function cacheAnchoredLessons(db: Db) {
  const known = new LRUCache<string, { version: string; lessons: AnchoredLesson[] }>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: ({ lessons }) => lessons.length + 1,
  });

  async function list(project: ProjectRow): Promise<AnchoredLesson[]> {
    const version = `${project.index_version} ${project.lessons_version}`;
    const remembered = known.get(project.project_id);
    if (remembered?.version === version) return remembered.lessons;
    const lessons = await lessonStore(db, project.brand_id).listAnchored(project.project_id);
    known.set(project.project_id, { version, lessons });
    return lessons;
  }

  return { list };
}
