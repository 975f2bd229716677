import { Answer, answer, jsonStream } from '../../http/answer/answers.js';
import {
  error,
  integerParam,
  operatorAccess,
  type Route,
  route,
  sessionAccess,
} from '../../http/declaration/route.js';
import type { DoorCookies } from '../identity/identity.service.js';
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
    summary: 'Everything that is known about you, as JSON',
    description:
      'Profile, workspaces, sessions, tokens without their text, mail addresses, cards, comments, activity and audit, over all workspaces.',
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
      'You are signed out everywhere at once and your tokens end; then your name and addresses, photos and mailbox go. What you wrote stays, under `Former member`.',
    tags: ['Sign-in and tokens'],
    access: sessionAccess({ role: 'guest' }),
    changesSession: true,
    body: EraseMeBody,
    responses: { 202: ErasureAccepted },
    errors: [
      error(400, '`The password is wrong`, or the code; it counts as a failed sign-in'),
      error(409, 'You are the last admin of the workspace that the sentence names'),
      error(429, 'Too many failed attempts; `Retry-After` says when to try again'),
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
      description: 'The workspace, as list_all_workspaces shows its brand_id.',
    }),
  };
  return [
    route({
      name: 'erase_user',
      method: 'DELETE',
      path: '/api/v1/admin/users/{user_id}',
      summary: 'Erase a person',
      description:
        'As erase_my_account does, also when a workspace is left without an admin. What they wrote stays, under `Former member`.',
      tags,
      access,
      params: {
        user_id: integerParam('User not found', {
          description: 'The person, as create_user answered their user_id.',
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
      summary: 'Erase a workspace with everything in it',
      description:
        'Nobody can open it from now on; the job `erase` releases its desks and then removes every row and file. There is no way back: export_workspace first.',
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
      summary: 'Every row of a workspace, a line each',
      description:
        'Lines of `{"table", "row"}`, as everything was at one moment, without passwords, tokens and sealed secrets.',
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
