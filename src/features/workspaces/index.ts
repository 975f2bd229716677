export type { BrandFields } from './brands/brands.service.js';
export { addressNotAvailable } from './workspaces.errors.js';
export { workspaceJobs } from './workspaces.jobs.js';
export { workspaceRoutes } from './workspaces.routes.js';
export { createWorkspaceService, type WorkspaceService } from './workspaces.service.js';
