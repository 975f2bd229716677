import { takeTurns } from '../../../kernel/event-loop.js';
import { placesAround } from '../files/anchors.js';
import type { AnchoredLesson } from '../records/lessons.store.js';

export interface LessonCounts {
  lessons: number;
  stale_lessons: number;
}

/**
 * How many lessons stand on each of some places or under them, in one walk over all anchors. A stale one counts where its code
 * was: people look for it there.
 */
export async function countLessons(
  paths: Iterable<string>,
  anchored: readonly AnchoredLesson[],
): Promise<(path: string) => LessonCounts> {
  const found = new Map<string, Map<number, boolean>>();
  for (const path of paths) found.set(path, new Map());
  const turn = takeTurns();
  for (const lesson of anchored) {
    for (const place of [lesson.path, ...placesAround(lesson)])
      found.get(place)?.set(lesson.lesson_no, lesson.stale);
    await turn();
  }
  return (path) => {
    const lessons = [...(found.get(path)?.values() ?? [])];
    return { lessons: lessons.length, stale_lessons: lessons.filter(Boolean).length };
  };
}
