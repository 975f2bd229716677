import { noContent } from '../../../platform/http/answer/answers.js';
import { error, type Route, route } from '../../../platform/http/declaration/route.js';
import { CredentialInput, CredentialView } from '../projects.schemas.js';
import type { createRepositoryCredentialService } from './repository-credentials.service.js';
import { administering, missing, params, reading, tags } from './route-parts.js';

const PATH = '/api/v1/projects/{project_id}/credentials';

/** With what a project reaches its repository. */
export function credentialRoutes(credentials: ReturnType<typeof createRepositoryCredentialService>): Route[] {
  return [
    route({
      name: 'get_project_credentials',
      method: 'GET',
      path: PATH,
      summary: 'Read with what a project reaches its repository',
      description: 'Add a public key at the host. Secrets are never shown.',
      tags,
      access: reading,
      params,
      responses: { 200: CredentialView },
      errors: [missing],
      handler: ({ caller, params: { project_id } }) => credentials.get(caller, project_id),
    }),
    route({
      name: 'set_project_credentials',
      method: 'PUT',
      path: PATH,
      agents: 'never',
      summary: 'Give a project a key or a token of its own',
      description: 'A key that it has already stays.',
      tags,
      access: administering,
      params,
      body: CredentialInput,
      responses: { 200: CredentialView },
      errors: [missing, error(409, 'This project has no repository')],
      handler: ({ caller, params: { project_id }, body }) => credentials.set(caller, project_id, body),
    }),
    route({
      name: 'rotate_project_key',
      method: 'POST',
      path: `${PATH}/rotate`,
      agents: 'never',
      summary: 'Replace the deploy key of a project',
      description: 'The key before it is tried until the new one has worked.',
      tags,
      access: administering,
      params,
      responses: { 200: CredentialView },
      errors: [missing, error(409, 'This project has no deploy key of its own')],
      handler: ({ caller, params: { project_id } }) => credentials.rotate(caller, project_id),
    }),
    route({
      name: 'remove_project_credentials',
      method: 'DELETE',
      path: PATH,
      agents: 'never',
      summary: "Go back to the workspace's key",
      description: 'The key or token of the project is gone for good.',
      tags,
      access: administering,
      params,
      responses: { 204: null },
      errors: [missing],
      handler: async ({ caller, params: { project_id } }) => {
        await credentials.remove(caller, project_id);
        return noContent();
      },
    }),
  ];
}
