export type { OpenForge } from './adapter/forge.js';
export { forgeRoutes } from './forges.routes.js';
export {
  createForgeService,
  type Forge,
  ForgeFailed,
  forgeJobs,
  type Issue,
  type IssueComment,
} from './forges.service.js';
export { createPullRequestsOfBuilds } from './pull-requests/pull-requests.service.js';
