export { searchRoutes } from './search.routes.js';
export { createSearchService } from './search.service.js';
