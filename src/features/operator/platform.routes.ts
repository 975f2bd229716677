import { operatorAccess, type Route, route } from '../../platform/http/declaration/route.js';
import type { PartsService } from './parts.service.js';
import { CatalogList, JobList, Overview, PartList, UserList, UsersQuery } from './platform.schemas.js';
import type { PlatformService } from './platform.service.js';

const access = operatorAccess();
const tags: [string] = ['Operator'];
const BASE = '/api/v1/admin';

/** What the operator looks at; nothing here changes anything. */
export const platformRoutes = (platform: PlatformService, parts: PartsService): Route[] => [
  route({
    name: 'list_all_users',
    method: 'GET',
    path: `${BASE}/users`,
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'users' },
    summary: 'All people and service accounts',
    description: 'By number, with how many workspaces each is in.',
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
    summary: 'List all catalog employees, published or not',
    description: 'By name, with their templates.',
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
    summary: 'List the background passes, and what waits',
    description: 'Of all nodes together. run_job runs one now.',
    tags,
    access,
    responses: { 200: JobList },
    errors: [],
    handler: () => platform.listJobs(),
  }),
  route({
    name: 'list_part_states',
    method: 'GET',
    path: `${BASE}/health`,
    summary: 'How each part of the service is',
    description: 'As this node sees it: the state and the age of each.',
    tags,
    access,
    urgent: true,
    responses: { 200: PartList },
    errors: [],
    handler: () => parts.readParts(),
  }),
  route({
    name: 'get_platform_overview',
    method: 'GET',
    path: `${BASE}/overview`,
    summary: 'The server at a glance',
    description: 'Version, uptime and memory of this node; counts, queue and database of the server.',
    tags,
    access,
    responses: { 200: Overview },
    errors: [],
    handler: () => platform.readOverview(),
  }),
];
