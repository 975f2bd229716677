export {
  type CatalogFields,
  changeProfile,
  createProfile,
  listProfiles,
} from './catalog.store.js';
export { hireJobs } from './hires.jobs.js';
export { hireRoutes } from './hires.routes.js';
export { createHireService } from './hires.service.js';
export { installPackage } from './hires.store.js';
