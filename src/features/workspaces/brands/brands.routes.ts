import { error, memberAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { OwnWorkspace, OwnWorkspacePatch } from './brands.schemas.js';
import type { BrandService } from './brands.service.js';

const tags: [string] = ['Workspace settings'];

export const brandRoutes = (brands: BrandService): Route[] => [
  route({
    name: 'get_workspace',
    method: 'GET',
    path: '/api/v1/brands/{brand_id}',
    summary: 'The workspace itself',
    description: 'With its plan, and whether it demands two-factor sign-in.',
    tags,
    access: memberAccess({ scope: 'brand:read' }),
    responses: { 200: OwnWorkspace },
    errors: [],
    handler: ({ caller }) => brands.getOwn(caller),
  }),
  route({
    name: 'change_workspace',
    method: 'PATCH',
    path: '/api/v1/brands/{brand_id}',
    summary: 'Change name, time zone or the demand for two-factor sign-in',
    description: 'What is left out stays. At once, on every node.',
    tags,
    access: memberAccess({ scope: 'brand:admin', role: 'admin' }),
    body: OwnWorkspacePatch,
    responses: { 200: OwnWorkspace },
    errors: [error(400, '`No fields to update`')],
    handler: ({ caller, body }) => brands.changeOwn(caller, body),
  }),
];
