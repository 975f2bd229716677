export { inboxJobs } from './inbox.jobs.js';
export { inboxRoutes } from './inbox.routes.js';
export { createInboxNotices, createInboxService } from './inbox.service.js';
