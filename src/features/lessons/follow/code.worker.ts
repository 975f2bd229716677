import { parentPort, workerData } from 'node:worker_threads';
import { Notifications } from '../../../database/notifications/notifications.js';
import { silentLog } from '../../../kernel/log.js';
import { addJob } from '../../../services/jobs/add-job.js';
import { serveCodeTasks, type ThreadSettings } from '../../projects/threads/code-tasks.service.js';
import { createWebhookOutbox } from '../../webhooks/messages/outbox.service.js';
import { createLessonFollower } from './lesson-follower.js';

const settings = workerData as ThreadSettings;
// It only speaks: what it says leaves with the commit, like everything else.
const notifications = new Notifications({ ...settings.address, log: silentLog });

serveCodeTasks(parentPort!, settings, (deps) =>
  createLessonFollower({
    ...deps,
    jobs: { trigger: addJob },
    outbox: createWebhookOutbox({ notifications }),
  }),
);
