import { Type } from 'typebox';
import { Answer, answer, jsonStream } from '../../platform/http/answer/answers.js';
import {
  error,
  integerParam,
  operatorAccess,
  type Route,
  route,
  sessionAccess,
} from '../../platform/http/declaration/route.js';
import { Closed, Named, OneOf, Timestamp } from '../../platform/http/declaration/schemas.js';
import { ProofCode, type SignInCookies } from '../identity/index.js';
import type { DataRequestService } from './data-requests.service.js';

const Listed = (description?: string) => Type.Array(Type.Object({}), description ? { description } : {});

export const PersonExport = Named(
  'PersonalData',
  Closed({
    exported_at: Timestamp,
    profile: Type.Object({}, {}),
    workspaces: Listed(),
    guest_access: Listed(),
    sessions: Listed(),
    sign_in: Listed(),
    tokens: Listed('Revoked ones too; never their text.'),
    invitations: Listed(),
    mail_addresses: Listed(),
    cards: Listed('Made by or assigned to them, as far as they can open them.'),
    comments: Listed(),
    attachments: Listed(),
    activity: Listed(),
    memory_changes: Listed('Changes of memories, without their texts.'),
    inbox: Listed(),
    saved_views: Listed(),
    review_comments: Listed(),
    audit: Listed('With addresses and credentials.'),
  }),
);

export const EraseMeBody = Named(
  'AccountErasure',
  Closed({
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'Your password, to be sure.' }),
    ),
    code: Type.Optional(ProofCode),
  }),
);

export const EraseWorkspaceBody = Named(
  'WorkspaceErasure',
  Closed({
    name: Type.String({
      minLength: 1,
      maxLength: 200,
      description: "The workspace's name, to be sure.",
    }),
  }),
);

export const ErasureAccepted = Named(
  'AcceptedErasure',
  Closed({ status: OneOf(['accepted'], { description: 'The job `erase` does the rest.' }) }),
);

const accepted = { status: 'accepted' };
const NDJSON = 'application/x-ndjson';

export const dataRequestRoutes = (requests: DataRequestService, cookies: SignInCookies): Route[] => [
  ...personRoutes(requests, cookies),
  ...operatorRoutes(requests),
];

const personRoutes = (requests: DataRequestService, cookies: SignInCookies): Route[] => [
  route({
    name: 'export_my_data',
    method: 'GET',
    path: '/api/v1/me/export',
    agents: 'never',
    summary: 'Export your personal data',
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
      'Ends your sessions and tokens, then deletes your name, addresses, photos and mailbox. Your texts stay under `Former member`.',
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
      await requests.eraseOwnAccount(caller, body, cookies.readClient(request));
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
      description:
        'Call export_workspace first: this cannot be undone. The job `erase` deletes every row and file.',
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
