import { Type } from 'typebox';
import { operatorAccess, type Route, route } from '../../platform/http/declaration/route.js';
import {
  Closed,
  Named,
  Nullable,
  OneOf,
  searchText,
  Timestamp,
} from '../../platform/http/declaration/schemas.js';
import { CatalogProfile } from './operator.schemas.js';
import type { PartsService } from './parts.service.js';
import type { PlatformService } from './platform.service.js';

export const UsersQuery = Type.Object({
  query: Type.Optional(
    searchText('Only with this text in name or address, in any case.', { minLength: 1, maxLength: 200 }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many on a page.' }),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
});

export const UserList = Named(
  'UserPage',
  Closed({
    users: Type.Array(
      Closed({
        user_id: Type.Integer(),
        email: Type.String(),
        full_name: Type.String(),
        kind: OneOf(['person', 'staff', 'service']),
        workspaces: Type.Integer(),
        created_at: Timestamp,
      }),
    ),
    total: Type.Integer(),
    next_cursor: Nullable(Type.String()),
  }),
);

export const CatalogList = Named(
  'WholeCatalog',
  Closed({ employees: Type.Array(CatalogProfile), total: Type.Integer() }),
);

export const JobList = Named(
  'JobList',
  Closed({
    jobs: Type.Array(
      Closed({
        name: Type.String(),
        description: Type.String(),
        schedule: Nullable(
          Type.String({ description: 'A cron line, or `every 20 seconds`; null: when asked for' }),
        ),
        last_run_at: Nullable(Timestamp),
        last_finished_at: Nullable(Timestamp),
        last_error: Nullable(Type.String({ description: 'Of the last run; null when it went well' })),
        waiting: Type.Integer({ description: 'Requested and not started' }),
        failing: Type.Integer({ description: 'Failed, to be tried again' }),
      }),
    ),
    total: Type.Integer(),
  }),
);

export const PartList = Named(
  'PartList',
  Closed({
    status: OneOf(['healthy', 'degraded', 'draining']),
    timestamp: Timestamp,
    parts: Type.Array(
      Closed({
        name: Type.String(),
        status: OneOf(['ok', 'late', 'failed', 'off']),
        age_seconds: Nullable(Type.Integer({ description: 'Since it was heard of, or its oldest waits' })),
        detail: Nullable(Type.String()),
      }),
    ),
  }),
);

export const Overview = Named(
  'PlatformOverview',
  Closed({
    version: Type.String(),
    started_at: Timestamp,
    uptime_seconds: Type.Integer(),
    role: OneOf(['web', 'worker', 'all']),
    workspaces: Type.Integer(),
    people: Type.Integer(),
    open_builds: Type.Integer(),
    desks: Closed({ ready: Type.Integer(), unreachable: Type.Integer(), total: Type.Integer() }),
    queue: Closed({
      waiting: Type.Integer(),
      oldest_seconds: Type.Integer({
        description: 'Of the oldest that is due; 0 when none is',
      }),
    }),
    database: Closed({ size_bytes: Type.Integer(), connections: Type.Integer() }),
    memory_mb: Type.Integer(),
  }),
);

const access = operatorAccess();
const tags: [string] = ['Operator'];
const BASE = '/api/v1/admin';

/** The operator's read-only routes. */
export const platformRoutes = (platform: PlatformService, parts: PartsService): Route[] => [
  route({
    name: 'list_all_users',
    method: 'GET',
    path: `${BASE}/users`,
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'users' },
    summary: 'List all people and service accounts',
    description: 'By `user_id`, with the number of their workspaces.',
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
    summary: 'List background jobs and what is queued',
    description: 'For all nodes together. run_job runs one now.',
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
    summary: 'Get the state of each part of the service',
    description: 'Returns state and age of each part as this node sees them.',
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
    summary: 'Get an overview of the server',
    description: 'Version, uptime and memory of this node; counts, queue and database of the server.',
    tags,
    access,
    responses: { 200: Overview },
    errors: [],
    handler: () => platform.readOverview(),
  }),
];
