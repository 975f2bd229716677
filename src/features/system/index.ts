export { dashboardFiles } from './dashboard/dashboard.files.js';
export { dashboardRoutes } from './dashboard/dashboard.routes.js';
export { securityRoutes } from './security.routes.js';
export { systemRoutes } from './system.routes.js';
export { createSystemService } from './system.service.js';
