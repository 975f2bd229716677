import { LRUCache } from 'lru-cache';
import type { Db } from '../../database/database.js';
import type { ProjectRow } from '../projects/projects.service.js';
import { type AnchoredLesson, lessonStore } from './lessons.store.js';

const MOST_REMEMBERED = 200_000;

/** Which lessons stand on which nodes, by project, for the versions of index and lessons they were read at. */
export class AnchoredMemory {
  readonly #known = new LRUCache<string, { version: string; lessons: AnchoredLesson[] }>({
    maxSize: MOST_REMEMBERED,
    sizeCalculation: ({ lessons }) => lessons.length + 1,
  });

  constructor(readonly db: Db) {}

  async list(project: ProjectRow): Promise<AnchoredLesson[]> {
    const version = `${project.index_version} ${project.lessons_version}`;
    const known = this.#known.get(project.project_id);
    if (known?.version === version) return known.lessons;
    const lessons = await lessonStore(this.db, project.brand_id).listAnchored(project.project_id);
    this.#known.set(project.project_id, { version, lessons });
    return lessons;
  }
}
