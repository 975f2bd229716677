import { Answer, answer, jsonStream } from '../../platform/http/answer/answers.js';
import {
  error,
  integerParam,
  operatorAccess,
  type Route,
  route,
  sessionAccess,
} from '../../platform/http/declaration/route.js';
import type { DoorCookies } from '../identity/index.js';
import { EraseMeBody, EraseWorkspaceBody, ErasureAccepted, PersonExport } from './data-requests.schemas.js';
import type { DataRequestService } from './data-requests.service.js';

const accepted = { status: 'accepted' };
const NDJSON = 'application/x-ndjson';

export const dataRequestRoutes = (requests: DataRequestService, cookies: DoorCookies): Route[] => [
  ...personRoutes(requests, cookies),
  ...operatorRoutes(requests),
];

const personRoutes = (requests: DataRequestService, cookies: DoorCookies): Route[] => [
  route({
    name: 'export_my_data',
    method: 'GET',
    path: '/api/v1/me/export',
    agents: 'never',
    summary: 'Export what is known about you',
    description: 'Over all workspaces; never a secret.',
    tags: ['Sign-in and tokens'],
    access: sessionAccess({ role: 'guest' }),
    responses: { 200: PersonExport },
    errors: [error(429, 'More than ten exports in an hour')],
    handler: async ({ caller }) => jsonStream(await requests.exportPerson(caller)),
  }),
  route({
    name: 'erase_my_account',
    method: 'DELETE',
    path: '/api/v1/me',
    agents: 'never',
    summary: 'Erase your account',
    description:
      'Sessions and tokens end at once; then name, addresses, photos and mailbox go. What you wrote stays, under `Former member`.',
    tags: ['Sign-in and tokens'],
    access: sessionAccess({ role: 'guest' }),
    changesSession: true,
    body: EraseMeBody,
    responses: { 202: ErasureAccepted },
    errors: [
      error(400, '`The password is wrong`, or the code: a failed sign-in'),
      error(409, 'You are the last admin of a workspace'),
      error(429, 'Too many failed attempts'),
    ],
    handler: async ({ caller, body, ...request }) => {
      await requests.eraseOwnAccount(caller, body, cookies.visitorOf(request));
      return answer(202, accepted, { 'set-cookie': cookies.endSession() });
    },
  }),
];

const operatorRoutes = (requests: DataRequestService): Route[] => {
  const tags: [string] = ['Operator'];
  const access = operatorAccess();
  const brand = {
    brand_id: integerParam('Brand not found', {
      description: 'The workspace, as list_all_workspaces shows it.',
    }),
  };
  return [
    route({
      name: 'erase_user',
      method: 'DELETE',
      path: '/api/v1/admin/users/{user_id}',
      summary: 'Erase a person',
      description: 'As erase_my_account, also when a workspace is left without an admin.',
      tags,
      access,
      params: {
        user_id: integerParam('User not found', {
          description: 'The person, as create_user answered them.',
        }),
      },
      responses: { 202: ErasureAccepted },
      errors: [error(404, '`User not found`, or erased already')],
      handler: async ({ params }) => {
        await requests.eraseUser(params.user_id);
        return answer(202, accepted);
      },
    }),
    route({
      name: 'erase_workspace',
      method: 'DELETE',
      path: '/api/v1/admin/brands/{brand_id}',
      summary: 'Erase a workspace',
      description: 'For good: export_workspace first. The job `erase` removes every row and file.',
      tags,
      access,
      params: brand,
      body: EraseWorkspaceBody,
      responses: { 202: ErasureAccepted },
      errors: [error(404, '`Brand not found`')],
      handler: async ({ params, body }) => {
        await requests.eraseWorkspace(params.brand_id, body.name);
        return answer(202, accepted);
      },
    }),
    route({
      name: 'export_workspace',
      method: 'GET',
      path: '/api/v1/admin/brands/{brand_id}/export',
      summary: 'Export a workspace',
      description:
        'Lines of `{"table", "row"}`, as of one moment, without passwords, tokens and sealed secrets.',
      tags,
      access,
      params: brand,
      responses: { 200: { contentType: NDJSON, description: 'One JSON object a line' } },
      errors: [error(404, '`Brand not found`')],
      handler: async ({ params }) =>
        new Answer(200, {
          kind: 'stream',
          chunks: await requests.exportWorkspace(params.brand_id),
          contentType: NDJSON,
        }),
    }),
  ];
};
