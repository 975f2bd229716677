import type { Worker, WorkerOptions } from 'node:worker_threads';
import type { JobDefinition } from '../../platform/jobs/jobs.js';
import { startWorker } from '../../platform/workers/worker-entry.js';
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

/** Starts the worker thread for index runs, which also updates lessons. */
export const startCodeThread = (options: WorkerOptions): Worker =>
  startWorker(import.meta.url, './follow/code.worker', { ...options, packages: ['kysely', 'pg'] });
