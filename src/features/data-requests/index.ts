export { dataRequestJobs } from './data-requests.jobs.js';
export { dataRequestRoutes } from './data-requests.routes.js';
export { createDataRequestService } from './data-requests.service.js';
