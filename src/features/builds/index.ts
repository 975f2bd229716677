export { buildJobs } from './builds.jobs.js';
export { buildRoutes, buildTools } from './builds.routes.js';
export {
  type BuildRow,
  type BuildService,
  createBuildService,
  type HostFeedback,
  type NextAttempt,
  type PullRequestsOfBuilds,
  type ReworkReason,
} from './builds.service.js';
