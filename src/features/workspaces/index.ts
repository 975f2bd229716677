export type { BrandFields } from './brands/brands.service.js';
export { addressNotAvailable } from './workspaces.errors.js';
export { workspaceRoutes } from './workspaces.routes.js';
export { createWorkspaceService, type WorkspaceService, workspaceJobs } from './workspaces.service.js';
