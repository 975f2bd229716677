import { notFound } from '../../kernel/errors.js';
import { noContent } from '../../platform/http/answer/answers.js';
import {
  error,
  integerParam,
  operatorAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../platform/http/declaration/route.js';
import { instantOf } from '../../platform/http/declaration/schemas.js';
import type { Jobs } from '../../platform/jobs/jobs.js';
import * as schemas from './operator.schemas.js';
import { WorkspaceMembers, WorkspaceTokens } from './operator.schemas.js';
import { jobNotFound, type OperatorService } from './operator.service.js';
import type { TestClock } from './test-clock.js';

const NO_BRAND = error(404, '`Brand not found`');
const brandParam = {
  brand_id: integerParam('Brand not found', {
    description: 'The workspace, as list_all_workspaces shows it.',
  }),
};
const access = operatorAccess();
const tags: [string] = ['Operator'];

export function operatorRoutes(
  operator: OperatorService,
  jobs: Pick<Jobs, 'runNow'>,
  testClock: TestClock | undefined,
): Route[] {
  return [
    ...brandRoutes(operator),
    ...personRoutes(operator),
    ...workspacePeopleRoutes(operator),
    ...supplyRoutes(operator),
    ...controlRoutes(operator, jobs, testClock),
  ];
}

const brandRoutes = (operator: OperatorService): Route[] => [
  route({
    name: 'create_workspace',
    method: 'POST',
    path: '/api/v1/admin/brands',
    summary: 'Create a workspace',
    description: 'Next: create_user, put_workspace_member and issue_token.',
    tags,
    access,
    body: schemas.BrandBody,
    responses: { 201: schemas.Brand },
    errors: [],
    handler: ({ body }) => operator.createBrand(body),
  }),
  route({
    name: 'list_all_workspaces',
    method: 'GET',
    path: '/api/v1/admin/brands',
    summary: 'List all workspaces',
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'brands' },
    description: 'By `brand_id`, with plan and scope ceiling. Set `limit` to page.',
    tags,
    access,
    query: schemas.BrandsQuery,
    responses: { 200: schemas.BrandList },
    errors: [],
    handler: ({ query }) => operator.listBrands(query),
  }),
  route({
    name: 'get_any_workspace',
    method: 'GET',
    path: '/api/v1/admin/brands/{brand_id}',
    summary: 'Get any workspace',
    description: 'As list_all_workspaces shows it.',
    tags,
    access,
    params: brandParam,
    responses: { 200: schemas.Brand },
    errors: [NO_BRAND],
    handler: ({ params }) => operator.getBrand(params.brand_id),
  }),
  route({
    name: 'change_any_workspace',
    method: 'PATCH',
    path: '/api/v1/admin/brands/{brand_id}',
    summary: 'Change a workspace',
    description: 'Only sent fields change. A narrower scope ceiling takes scopes from tokens at once.',
    tags,
    access,
    params: brandParam,
    body: schemas.BrandPatch,
    responses: { 200: schemas.Brand },
    errors: [NO_BRAND],
    handler: ({ params, body }) => operator.changeBrand(params.brand_id, body),
  }),
];

const personRoutes = (operator: OperatorService): Route[] => [
  route({
    name: 'create_user',
    method: 'POST',
    path: '/api/v1/admin/users',
    summary: 'Create a person or a service account',
    description: 'A person needs a password and a workspace (put_workspace_member) to sign in.',
    tags,
    access,
    body: schemas.UserBody,
    responses: { 201: schemas.User },
    errors: [error(409, 'The e-mail address or the mail name is taken')],
    handler: ({ body }) => operator.createUser(body),
  }),
  route({
    name: 'remove_lost_mfa',
    method: 'DELETE',
    path: '/api/v1/admin/users/{user_id}/mfa',
    summary: "Remove a person's lost second factor",
    description:
      "Verify the person's identity first. Ends recovery codes and sessions and notifies the person by mail. Tokens stay valid.",
    tags,
    access,
    params: {
      user_id: integerParam('User not found', {
        description: 'The person, as create_user answered them.',
      }),
    },
    responses: { 204: null },
    errors: [error(404, '`User not found`, or it is not set up')],
    handler: async ({ params }) => {
      await operator.removeLostFactor(params.user_id);
      return noContent();
    },
  }),
  route({
    name: 'put_workspace_member',
    method: 'PUT',
    path: '/api/v1/admin/brands/{brand_id}/members/{user_id}',
    summary: 'Add a member or change their role',
    description:
      'Without a role: `member`. One who was taken out comes back without old sessions and tokens.',
    tags,
    access,
    params: {
      ...brandParam,
      user_id: integerParam('User not found', {
        description: 'The person, as create_user answered them.',
      }),
    },
    body: schemas.MemberBody,
    responses: { 200: schemas.Member },
    errors: [error(404, '`Brand not found` or `User not found`')],
    handler: ({ params, body }) => operator.putMember(params.brand_id, params.user_id, body),
  }),
  route({
    name: 'deactivate_workspace_member',
    method: 'DELETE',
    path: '/api/v1/admin/brands/{brand_id}/members/{user_id}',
    summary: 'Remove a member from any workspace',
    description: 'Ends their sessions and tokens of that workspace. Their work stays.',
    tags,
    access,
    params: {
      ...brandParam,
      user_id: integerParam('Member not found', {
        description: 'The person, as create_user answered them.',
      }),
    },
    responses: { 204: null },
    errors: [error(404, '`Brand not found` or `Member not found`')],
    handler: async ({ params }) => {
      await operator.removeMember(params.brand_id, params.user_id);
      return noContent();
    },
  }),
  route({
    name: 'issue_token',
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/tokens',
    summary: 'Issue a token and show its text once',
    description: 'For a member of the workspace.',
    tags,
    access,
    params: brandParam,
    body: schemas.TokenBody,
    responses: { 201: schemas.Token },
    errors: [error(404, '`Brand not found` or `Member not found`')],
    handler: ({ params, body }) =>
      operator.createToken(params.brand_id, {
        user_id: body.user_id,
        scopes: body.scopes ?? [],
        name: body.name ?? 'token',
        expiresAt: instantOf(body.expires_at),
        agentId: body.agent_id ?? null,
      }),
  }),
  route({
    name: 'revoke_any_token',
    method: 'DELETE',
    path: '/api/v1/admin/tokens/{token_id}',
    summary: 'Revoke any token',
    description: 'For a token that leaked or whose owner is gone.',
    tags,
    access,
    params: {
      token_id: uuidParam('Token not found', {
        description: 'The token, as issue_token answered it.',
      }),
    },
    responses: { 204: null },
    errors: [error(404, '`Token not found`')],
    handler: async ({ params }) => {
      await operator.revokeToken(params.token_id);
      return noContent();
    },
  }),
];

const supplyRoutes = (operator: OperatorService): Route[] => [
  route({
    name: 'register_agent',
    method: 'POST',
    path: '/api/v1/admin/agents',
    summary: 'Register an agent',
    description: "So that it can have memories and hires. Without `brand_id` it is the platform's.",
    tags,
    access,
    body: schemas.AgentBody,
    responses: { 201: schemas.Agent },
    errors: [NO_BRAND, error(409, 'The agent_id is taken')],
    handler: ({ body }) => operator.createAgent(body),
  }),
  route({
    name: 'install_package',
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/packages',
    summary: 'Install a marketplace package',
    description: "An agent's tools follow from what is installed and enabled.",
    tags,
    access,
    params: brandParam,
    body: schemas.PackageBody,
    responses: { 201: schemas.Package },
    errors: [NO_BRAND, error(409, 'The package is installed already')],
    handler: ({ params, body }) => operator.installPackage(params.brand_id, body),
  }),
  route({
    name: 'add_feed_source',
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/feed-sources',
    summary: 'Add a feed source',
    description: 'It counts among what the feed switch holds.',
    tags,
    access,
    params: brandParam,
    body: schemas.FeedSourceBody,
    responses: { 201: schemas.FeedSource },
    errors: [NO_BRAND],
    handler: ({ params, body }) => operator.addFeedSource(params.brand_id, body),
  }),
  route({
    name: 'create_catalog_employee',
    method: 'POST',
    path: '/api/v1/admin/catalog',
    summary: 'Create a catalog employee',
    description: 'Seen in list_employees once `published`, and hired once it has a `template`.',
    tags,
    access,
    body: schemas.CatalogBody,
    responses: { 201: schemas.CatalogProfile },
    errors: [],
    handler: ({ body }) => operator.createProfile(body),
  }),
  route({
    name: 'update_catalog_employee',
    method: 'PATCH',
    path: '/api/v1/admin/catalog/{profile_id}',
    summary: 'Change a catalog employee',
    description: 'Only sent fields change; null removes a template or repository.',
    tags,
    access,
    params: {
      profile_id: uuidParam('No catalog employee has that id', {
        description: 'As list_employees shows it.',
      }),
    },
    body: schemas.CatalogPatch,
    responses: { 200: schemas.CatalogProfile },
    errors: [error(404, 'Not found')],
    handler: ({ params, body }) => operator.changeProfile(params.profile_id, body),
  }),
];

const controlRoutes = (
  operator: OperatorService,
  jobs: Pick<Jobs, 'runNow'>,
  testClock: TestClock | undefined,
): Route[] => [
  route({
    name: 'run_job',
    method: 'POST',
    path: '/api/v1/admin/jobs/{name}/run',
    summary: 'Run a background job now',
    description: 'Waits for the run and returns how many items it processed and how many failed.',
    tags,
    access,
    params: {
      name: textParam(undefined, {
        description: 'The job, such as `memory-pickup`; docs/operations.md lists them.',
      }),
    },
    responses: { 200: schemas.JobRun },
    errors: [error(404, 'Not found')],
    handler: async ({ params }) => {
      const result = await jobs.runNow(params.name);
      if (!result) throw jobNotFound();
      return { job: params.name, processed: result.processed, failed: result.failed };
    },
  }),
  route({
    name: 'move_clock',
    method: 'POST',
    path: '/api/v1/admin/clock',
    summary: 'Move or stop the clock of a test server',
    description: 'Only on a server that was started with `GUILDHALL_TEST_CLOCK=1`.',
    tags,
    access,
    body: schemas.ClockBody,
    responses: { 200: schemas.ClockState },
    errors: [error(404, 'The server was not started with `GUILDHALL_TEST_CLOCK=1`')],
    handler: async ({ body }) => {
      if (!testClock) throw notFound();
      return { now: await testClock.move(body) };
    },
  }),
  route({
    name: 'list_platform_audit',
    method: 'GET',
    path: '/api/v1/admin/audit',
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items' },
    summary: 'List the audit log',
    description: 'Of all workspaces or one, newest first.',
    tags,
    access,
    query: schemas.AuditQuery,
    responses: { 200: schemas.AuditPage },
    errors: [],
    handler: ({ query }) => operator.listAudit(query),
  }),
];

const workspacePeopleRoutes = (operator: OperatorService): Route[] => [
  route({
    name: 'list_workspace_members',
    method: 'GET',
    path: '/api/v1/admin/brands/{brand_id}/members',
    summary: 'List the members of any workspace',
    description: 'Active members, by when they joined.',
    tags,
    access,
    params: brandParam,
    responses: { 200: WorkspaceMembers },
    errors: [NO_BRAND],
    handler: ({ params: { brand_id } }) => operator.listMembers(brand_id),
  }),
  route({
    name: 'list_workspace_tokens',
    method: 'GET',
    path: '/api/v1/admin/brands/{brand_id}/tokens',
    summary: 'List the tokens of a workspace',
    description: 'Tokens that are not revoked, newest first, at most 500, without their text.',
    tags,
    access,
    params: brandParam,
    responses: { 200: WorkspaceTokens },
    errors: [NO_BRAND],
    handler: ({ params: { brand_id } }) => operator.listTokens(brand_id),
  }),
];
