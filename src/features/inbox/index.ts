export { inboxRoutes } from './inbox.routes.js';
export { createInboxService, inboxJobs } from './inbox.service.js';
export { createInboxNotices } from './notices.service.js';
