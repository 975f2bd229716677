export { importJobs } from './imports.jobs.js';
export { importRoutes } from './imports.routes.js';
export { createImportService } from './imports.service.js';
