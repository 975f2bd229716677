import { memberAccess, type Route, route } from '../../../platform/http/declaration/route.js';
import { WorkspaceAuditPage, WorkspaceAuditQuery } from './audit.schemas.js';
import type { WorkspaceAuditService } from './audit.service.js';

export const workspaceAuditRoutes = (audit: WorkspaceAuditService): Route[] => [
  route({
    name: 'list_workspace_audit',
    method: 'GET',
    path: '/api/v1/brands/{brand_id}/audit',
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'entries' },
    summary: 'Who did what in the workspace, newest first',
    description: 'Changes, sign-ins and failed ones, with address and credential.',
    mayLag: true,
    tags: ['Workspace settings'],
    access: memberAccess({ scope: 'brand:admin', role: 'admin' }),
    query: WorkspaceAuditQuery,
    responses: { 200: WorkspaceAuditPage },
    errors: [],
    handler: ({ caller, query }) => audit.list(caller.brandId, query),
  }),
];
