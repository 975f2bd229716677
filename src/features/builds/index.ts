export { buildJobs } from './builds.jobs.js';
export { buildRoutes } from './builds.routes.js';
export {
  type BuildRow,
  type BuildService,
  type CameBack,
  createBuildService,
  type NextAttempt,
  type ReworkReason,
  type WayHome,
} from './builds.service.js';
export { createExchange } from './exchange.js';
