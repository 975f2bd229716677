export { operatorRoutes } from './operator.routes.js';
export { createOperatorService } from './operator.service.js';
export { createPartsService } from './parts.service.js';
export { platformRoutes } from './platform.routes.js';
export { createPlatformService } from './platform.service.js';
export { createTestClock } from './test-clock.js';
