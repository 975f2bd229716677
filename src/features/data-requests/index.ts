export { dataRequestRoutes } from './data-requests.routes.js';
export { createDataRequestService, dataRequestJobs } from './data-requests.service.js';
