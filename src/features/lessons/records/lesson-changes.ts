import type { WebhookMessage } from '../../../platform/outbox/webhook-outbox.js';
import type { LessonDraft } from '../files/lesson-file.js';
import type { AnchorRecord, StaleLesson } from './lesson-records.store.js';

/** A file read again: what its author wrote before stands where its code stands now, what is new is still to be found. */
export function keepAnchors(before: readonly AnchorRecord[], draft: LessonDraft): AnchorRecord[] {
  const known = new Map(before.map((record) => [record.written, record]));
  return draft.anchors.map(
    ({ written, anchor }) => known.get(written) ?? { ...anchor, written, nodeNo: null },
  );
}

/** What those outside are told of lessons whose code has gone. */
export const staleMessages = (
  brandId: number,
  projectId: string,
  lessons: readonly StaleLesson[],
  at: Date,
): WebhookMessage[] =>
  lessons.map(({ lesson_id, path, stale_commit }) => ({
    brandId,
    type: 'lesson.stale',
    at,
    data: { project_id: projectId, lesson_id, path, stale_reason: `code removed in ${stale_commit}` },
  }));
