export { importRoutes } from './imports.routes.js';
export { createImportService, importJobs } from './imports.service.js';
