import { noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { ForgeInput, ForgeView, HookSecret } from '../forges.schemas.js';
import type { ConnectionService } from './connection.service.js';

const PATH = '/api/v1/projects/{project_id}/forge';
const tags: [string] = ['Projects'];
const administering = memberAccess({ scope: 'brand:admin', role: 'admin' });
const params = {
  project_id: uuidParam('Project not found', { description: 'The project, as list_projects shows it.' }),
};
const missing = error(404, 'Not found');

/** The repository host of a project. */
export function connectionRoutes(connections: ConnectionService): Route[] {
  return [
    route({
      name: 'get_forge',
      method: 'GET',
      path: PATH,
      summary: "Read which host a project's pull requests are on",
      description: 'And what was last heard of it. The token is never shown.',
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
      summary: 'Connect a project with GitHub, GitLab or Forgejo',
      description: 'Accepted builds become pull requests there. The token is tried first.',
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
      summary: "Make a secret for the host's webhook",
      description: 'Shown once. The one before it is taken for 24 hours more.',
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
      summary: 'Disconnect a project from its host',
      description: 'Pull requests stay open there; nothing follows them any more.',
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
