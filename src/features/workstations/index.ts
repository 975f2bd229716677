export { workstationJobs } from './workstations.jobs.js';
export { workstationRoutes } from './workstations.routes.js';
export {
  type BuilderDesk,
  createWorkstationService,
  type WorkstationService,
} from './workstations.service.js';
