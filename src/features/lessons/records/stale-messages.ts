import type { WebhookMessage } from '../../../platform/outbox/webhook-outbox.js';
import type { StaleLesson } from './lesson-records.store.js';

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
