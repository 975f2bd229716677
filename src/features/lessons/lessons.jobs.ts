import type { JobDefinition } from '../../platform/jobs/jobs.js';
import type { LessonService } from './lessons.service.js';

export function lessonJobs(lessons: LessonService): JobDefinition[] {
  return [
    {
      name: 'lesson-embed',
      description: 'Works out the meaning of new lessons.',
      schedule: { cron: '*/10 * * * *' },
      run: ({ signal }) => lessons.embedWaiting(signal),
    },
  ];
}
