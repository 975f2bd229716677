export { dashboardFiles, dashboardRoutes } from './dashboard.routes.js';
export { securityRoutes, systemRoutes } from './system.routes.js';
export { createSystemService } from './system.service.js';
