import { parentPort, workerData } from 'node:worker_threads';
import { addJob } from '../../../platform/jobs/add-job.js';
import { serveCodeTasks, type ThreadSettings } from '../../projects/threads/code-tasks.service.js';
import { createWebhookOutbox } from '../../webhooks/messages/outbox.js';
import { createLessonFollower } from './lesson-follower.js';

const settings = workerData as ThreadSettings;

serveCodeTasks(parentPort!, settings, (deps) =>
  createLessonFollower({
    ...deps,
    jobs: { trigger: addJob },
    // No announcement: the sender polls the outbox every second.
    outbox: createWebhookOutbox({ notifications: { announce: () => {} } }),
  }),
);
