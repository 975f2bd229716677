import type { Route } from '../../platform/http/declaration/route.js';
import { connectionRoutes } from './connection/connection.routes.js';
import type { ForgeService } from './forges.service.js';
import { hookRoutes } from './hooks/hooks.routes.js';
import { pullRequestRoutes } from './pull-requests/pull-requests.routes.js';

export const forgeRoutes = ({ connections, hooks, pullRequests }: ForgeService): Route[] => [
  ...connectionRoutes(connections),
  ...hookRoutes(hooks),
  ...pullRequestRoutes(pullRequests),
];
