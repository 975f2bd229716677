export type { OpenForge } from './adapter/forge.js';
export { forgeJobs } from './forges.jobs.js';
export { forgeRoutes } from './forges.routes.js';
export {
  createForgeService,
  type Forge,
  ForgeFailed,
  type Issue,
  type IssueComment,
} from './forges.service.js';
