export { figuresRoutes } from './figures.routes.js';
export { createFiguresService } from './figures.service.js';
