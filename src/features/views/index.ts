export { viewRoutes } from './views.routes.js';
export { createViewService } from './views.service.js';
