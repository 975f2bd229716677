import { operatorAccess, type Route, route } from '../../http/declaration/route.js';
import { CatalogList, JobList, Overview, UserList, UsersQuery } from './platform.schemas.js';
import type { PlatformService } from './platform.service.js';

const access = operatorAccess();
const tags: [string] = ['Operator'];
const BASE = '/api/v1/admin';

/** What the operator looks at; nothing here changes anything. */
export const platformRoutes = (platform: PlatformService): Route[] => [
  route({
    name: 'list_all_users',
    method: 'GET',
    path: `${BASE}/users`,
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'users' },
    summary: 'All people and service accounts',
    description: 'By their number, page by page, with how many workspaces each is in.',
    tags,
    access,
    query: UsersQuery,
    responses: { 200: UserList },
    errors: [],
    handler: ({ query }) => platform.listUsers(query),
  }),
  route({
    name: 'list_whole_catalog',
    method: 'GET',
    path: `${BASE}/catalog`,
    summary: 'All catalog employees, published or not',
    description: 'By name, with their templates. What workspaces see is list_employees.',
    tags,
    access,
    responses: { 200: CatalogList },
    errors: [],
    handler: () => platform.listCatalog(),
  }),
  route({
    name: 'list_jobs',
    method: 'GET',
    path: `${BASE}/jobs`,
    summary: 'The background passes, when each last ran, and what waits',
    description: 'Of all nodes together. run_job runs one now.',
    tags,
    access,
    responses: { 200: JobList },
    errors: [],
    handler: () => platform.listJobs(),
  }),
  route({
    name: 'get_platform_overview',
    method: 'GET',
    path: `${BASE}/overview`,
    summary: 'The server at a glance',
    description:
      'Version and uptime of the node that answers; counts, queue and database of the whole server.',
    tags,
    access,
    responses: { 200: Overview },
    errors: [],
    handler: () => platform.readOverview(),
  }),
];
