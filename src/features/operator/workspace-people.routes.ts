import {
  error,
  integerParam,
  operatorAccess,
  type Route,
  route,
} from '../../platform/http/declaration/route.js';
import type { OperatorService } from './operator.service.js';
import { WorkspaceMembers, WorkspaceTokens } from './workspace-people.schemas.js';

const access = operatorAccess();
const tags: [string] = ['Operator'];
const params = {
  brand_id: integerParam('Brand not found', {
    description: 'The workspace, as list_all_workspaces shows it.',
  }),
};
const errors = [error(404, '`Brand not found`')];

/** Who is in a workspace and what they hold, for whoever has to help them. */
export const workspacePeopleRoutes = (operator: OperatorService): Route[] => [
  route({
    name: 'list_workspace_members',
    method: 'GET',
    path: '/api/v1/admin/brands/{brand_id}/members',
    summary: 'The members of a workspace',
    description: 'Those who are in it now, the longest first.',
    tags,
    access,
    params,
    responses: { 200: WorkspaceMembers },
    errors,
    handler: ({ params: { brand_id } }) => operator.listMembers(brand_id),
  }),
  route({
    name: 'list_workspace_tokens',
    method: 'GET',
    path: '/api/v1/admin/brands/{brand_id}/tokens',
    summary: 'The access tokens of a workspace',
    description: 'Not revoked, newest first, at most 500, without their text.',
    tags,
    access,
    params,
    responses: { 200: WorkspaceTokens },
    errors,
    handler: ({ params: { brand_id } }) => operator.listTokens(brand_id),
  }),
];
