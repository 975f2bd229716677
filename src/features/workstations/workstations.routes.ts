import type { Route } from '../../platform/http/declaration/route.js';
import { deskRoutes, environmentRoutes, imageRoutes } from './desks/desks.routes.js';
import { installRoutes } from './installer/installer.routes.js';
import { deskReportRoutes } from './reports/reports.routes.js';
import { machineUpdateRoutes } from './updates/updates.routes.js';
import type { WorkstationService } from './workstations.service.js';

export const workstationRoutes = (workstations: WorkstationService): Route[] => [
  ...deskRoutes(workstations),
  ...environmentRoutes(workstations),
  ...imageRoutes(workstations.images),
  ...deskReportRoutes(workstations.reports),
  ...installRoutes(workstations.address),
  ...machineUpdateRoutes(workstations.updates),
];
