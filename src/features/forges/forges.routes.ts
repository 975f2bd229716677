import { accepted, noContent } from '../../platform/http/answer/answers.js';
import {
  ANY_TYPE,
  error,
  memberAccess,
  publicAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../platform/http/declaration/route.js';
import { CARD_WORDS, CardId } from '../boards/index.js';
import type { ConnectionService } from './connection/connection.service.js';
import { ForgeInput, ForgeView, HookSecret, PullRequestInput, PullRequestView } from './forges.schemas.js';
import type { ForgeService } from './forges.service.js';
import type { HookService } from './hooks/hooks.service.js';
import type { PullRequestService } from './pull-requests/pull-requests.service.js';

export const forgeRoutes = ({ connections, hooks, pullRequests }: ForgeService): Route[] => [
  ...connectionRoutes(connections),
  ...hookRoutes(hooks),
  ...pullRequestRoutes(pullRequests),
];

const PATH = '/api/v1/projects/{project_id}/forge';
const tags: [string] = ['Projects'];
const administering = memberAccess({ scope: 'brand:admin', role: 'admin' });
const params = {
  project_id: uuidParam('Project not found', { description: 'The id of the project, from list_projects.' }),
};
const missing = error(404, 'Not found');

export function connectionRoutes(connections: ConnectionService): Route[] {
  return [
    route({
      name: 'get_forge',
      method: 'GET',
      path: PATH,
      summary: "Get a project's repository host",
      description: 'Includes the result of the last sync. The token is never returned.',
      tags,
      access: memberAccess({ scope: 'code:read' }),
      params,
      responses: { 200: ForgeView },
      errors: [missing],
      handler: ({ caller, params: { project_id } }) => connections.get(caller, project_id),
    }),
    route({
      name: 'connect_forge',
      method: 'PUT',
      path: PATH,
      agents: 'never',
      summary: 'Connect a project to GitHub, GitLab or Forgejo',
      description:
        'Accepted builds then open pull requests there. The token is checked first; 422 says what is wrong with it.',
      tags,
      access: administering,
      params,
      body: ForgeInput,
      responses: { 200: ForgeView },
      errors: [missing],
      handler: ({ caller, params: { project_id }, body }) => connections.connect(caller, project_id, body),
    }),
    route({
      name: 'renew_hook_secret',
      method: 'POST',
      path: `${PATH}/hook-secret`,
      agents: 'never',
      summary: "Create a secret for the host's webhook",
      description: 'Returned only once. The previous secret stays valid for 24 hours.',
      tags,
      access: administering,
      params,
      responses: { 200: HookSecret },
      errors: [missing],
      handler: ({ caller, params: { project_id } }) => connections.renewHookSecret(caller, project_id),
    }),
    route({
      name: 'disconnect_forge',
      method: 'DELETE',
      path: PATH,
      agents: 'never',
      summary: 'Disconnect a project from its repository host',
      description: 'Pull requests stay open on the host and are no longer synced.',
      tags,
      access: administering,
      params,
      responses: { 204: null },
      errors: [missing],
      handler: async ({ caller, params: { project_id } }) => {
        await connections.disconnect(caller, project_id);
        return noContent();
      },
    }),
  ];
}

const CARD_PATH = '/api/v1/board/tasks/{task_id}/pull-request';
const cardParams = {
  task_id: uuidParam('Card not found', { description: CARD_WORDS, schema: CardId }),
};

export function pullRequestRoutes(pullRequests: PullRequestService): Route[] {
  return [
    route({
      name: 'get_pull_request',
      method: 'GET',
      path: CARD_PATH,
      summary: "Get a card's pull request",
      description: 'Returns the state, checks, reviews and comments as of the last sync.',
      tags: ['Boards'],
      access: memberAccess(),
      params: cardParams,
      responses: { 200: PullRequestView },
      errors: [missing],
      handler: ({ caller, params: { task_id } }) => pullRequests.get(caller, task_id),
    }),
    route({
      name: 'tie_pull_request',
      method: 'POST',
      path: CARD_PATH,
      summary: 'Link an existing pull request to a card',
      description: 'Send its `url` or its `number`. The card then follows its checks, reviews and merge.',
      tags: ['Boards'],
      access: memberAccess({ beyondReading: true }),
      params: cardParams,
      body: PullRequestInput,
      responses: { 200: PullRequestView },
      errors: [
        missing,
        error(409, 'The pull request is tied to another card'),
        error(502, 'The repository host failed'),
      ],
      prepare: ({ caller, params: { task_id }, body }) => pullRequests.look(caller, task_id, body),
      handler: ({ caller, params: { task_id }, body, prepared }) =>
        pullRequests.tie(caller, task_id, body, prepared),
    }),
  ];
}

const LARGEST_DELIVERY = 5 * 1024 * 1024;

export const hookRoutes = (hooks: HookService): Route[] => [
  route({
    name: 'receive_forge_hook',
    method: 'POST',
    path: '/api/v1/hooks/{project_id}',
    agents: 'never',
    summary: 'Receive a webhook of a repository host',
    description: 'Authenticated by its signature. A job then asks the host about what the delivery names.',
    tags: ['Projects'],
    access: publicAccess(),
    params: { project_id: textParam(undefined, { description: 'The id of the project.' }) },
    rawBody: {
      contentType: ANY_TYPE,
      maxBytes: LARGEST_DELIVERY,
      description: 'The delivery as the host sends it.',
      signed: true,
    },
    responses: { 202: null },
    errors: [error(401, 'Not signed with the secret of this hook')],
    handler: async ({ params: { project_id: projectId }, headers, bytes, clientAddress }) => {
      await hooks.receive({ projectId, headers, bytes, clientAddress });
      return accepted();
    },
  }),
];
