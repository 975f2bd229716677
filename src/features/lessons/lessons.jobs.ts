import type { JobDefinition } from '../../services/jobs.js';
import type { LessonService } from './lessons.service.js';

export function lessonJobs(lessons: LessonService): JobDefinition[] {
  return [
    {
      name: 'lesson-embed',
      schedule: { cron: '*/10 * * * *' },
      run: ({ signal }) => lessons.embedWaiting(signal),
    },
  ];
}
