export {
  type CatalogFields,
  changeProfile,
  createProfile,
  installPackage,
  listProfiles,
} from './catalog.service.js';
export { hireJobs } from './hires.jobs.js';
export { hireRoutes } from './hires.routes.js';
export { createHireService } from './hires.service.js';
