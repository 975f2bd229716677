import { noContent } from '../../http/answers.js';
import {
  error,
  integerParam,
  operatorAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../http/route.js';
import { instantOf } from '../../http/schemas.js';
import { notFound } from '../../kernel/errors.js';
import type { Jobs } from '../../services/jobs.js';
import { jobNotFound } from './operator.errors.js';
import * as schemas from './operator.schemas.js';
import type { OperatorService } from './operator.service.js';
import type { TestClock } from './test-clock.js';

const NO_BRAND = error(404, '`Brand not found`');
const brandParam = { brand_id: integerParam('Brand not found') };
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
    ...supplyRoutes(operator),
    ...controlRoutes(operator, jobs, testClock),
  ];
}

const brandRoutes = (operator: OperatorService): Route[] => [
  route({
    method: 'POST',
    path: '/api/v1/admin/brands',
    summary: 'Make a workspace',
    tags,
    access,
    body: schemas.BrandBody,
    responses: { 201: schemas.Brand },
    errors: [],
    handler: ({ body }) => operator.createBrand(body),
  }),
  route({
    method: 'GET',
    path: '/api/v1/admin/brands',
    summary: 'All workspaces',
    tags,
    access,
    responses: { 200: schemas.BrandList },
    errors: [],
    handler: async () => {
      const brands = await operator.listBrands();
      return { brands, total: brands.length };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/admin/brands/{brand_id}',
    summary: 'One workspace',
    tags,
    access,
    params: brandParam,
    responses: { 200: schemas.Brand },
    errors: [NO_BRAND],
    handler: ({ params }) => operator.getBrand(params.brand_id),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/admin/brands/{brand_id}',
    summary: "Change a workspace's name, plan, subscription, scope ceiling or navigation",
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
    method: 'POST',
    path: '/api/v1/admin/users',
    summary: 'Make a person, a staff person or a service account',
    tags,
    access,
    body: schemas.UserBody,
    responses: { 201: schemas.User },
    errors: [error(409, 'The e-mail address or the mail name is taken')],
    handler: ({ body }) => operator.createUser(body),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/admin/brands/{brand_id}/members/{user_id}',
    summary: 'Make a person a member of a workspace, or change their role',
    tags,
    access,
    params: { ...brandParam, user_id: integerParam('User not found') },
    body: schemas.MemberBody,
    responses: { 200: schemas.Member },
    errors: [error(404, '`Brand not found` or `User not found`')],
    handler: ({ params, body }) => operator.putMember(params.brand_id, params.user_id, body),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/admin/brands/{brand_id}/members/{user_id}',
    summary: 'Take a person out of a workspace; their sessions and tokens there end for good',
    tags,
    access,
    params: { ...brandParam, user_id: integerParam('Member not found') },
    responses: { 204: null },
    errors: [error(404, '`Brand not found` or `Member not found`')],
    handler: async ({ params }) => {
      await operator.removeMember(params.brand_id, params.user_id);
      return noContent();
    },
  }),
  route({
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/tokens',
    summary: 'Issue a personal access token; its text is shown this once',
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
      }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/admin/tokens/{token_id}',
    summary: 'Revoke a token, at once and on every node',
    tags,
    access,
    params: { token_id: uuidParam('Token not found') },
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
    method: 'POST',
    path: '/api/v1/admin/agents',
    summary: 'Register an agent of a workspace, or of the platform',
    tags,
    access,
    body: schemas.AgentBody,
    responses: { 201: schemas.Agent },
    errors: [NO_BRAND, error(409, 'The agent_id is taken')],
    handler: ({ body }) => operator.createAgent(body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/packages',
    summary: 'Install a marketplace package',
    tags,
    access,
    params: brandParam,
    body: schemas.PackageBody,
    responses: { 201: schemas.Package },
    errors: [NO_BRAND, error(409, 'The package is installed already')],
    handler: ({ params, body }) => operator.installPackage(params.brand_id, body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/admin/brands/{brand_id}/feed-sources',
    summary: 'Add a feed source',
    tags,
    access,
    params: brandParam,
    body: schemas.FeedSourceBody,
    responses: { 201: schemas.FeedSource },
    errors: [NO_BRAND],
    handler: ({ params, body }) => operator.addFeedSource(params.brand_id, body),
  }),
  route({
    method: 'POST',
    path: '/api/v1/admin/catalog',
    summary: 'Put an employee into the catalog',
    tags,
    access,
    body: schemas.CatalogBody,
    responses: { 201: schemas.CatalogProfile },
    errors: [],
    handler: ({ body }) => operator.createProfile(body),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/admin/catalog/{profile_id}',
    summary: 'Change a catalog employee',
    tags,
    access,
    params: { profile_id: uuidParam('No catalog employee has that id') },
    body: schemas.CatalogPatch,
    responses: { 200: schemas.CatalogProfile },
    errors: [error(404, 'No catalog employee has that id')],
    handler: ({ params, body }) => operator.changeProfile(params.profile_id, body),
  }),
];

const controlRoutes = (
  operator: OperatorService,
  jobs: Pick<Jobs, 'runNow'>,
  testClock: TestClock | undefined,
): Route[] => [
  route({
    method: 'POST',
    path: '/api/v1/admin/jobs/{name}/run',
    summary: 'Run one background pass now and wait for it',
    tags,
    access,
    params: { name: textParam() },
    responses: { 200: schemas.JobRun },
    errors: [error(404, 'No job has that name')],
    handler: async ({ params }) => {
      const result = await jobs.runNow(params.name);
      if (!result) throw jobNotFound();
      return { job: params.name, processed: result.processed, failed: result.failed };
    },
  }),
  route({
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
    method: 'GET',
    path: '/api/v1/admin/audit',
    summary: 'Who did what, newest first',
    tags,
    access,
    query: schemas.AuditQuery,
    responses: { 200: schemas.AuditPage },
    errors: [],
    handler: ({ query }) => operator.listAudit(query),
  }),
];
