export { workstationRoutes } from './workstations.routes.js';
export {
  type BuilderDesk,
  createWorkstationService,
  type WorkstationService,
  workstationJobs,
} from './workstations.service.js';
