import { noContent } from '../../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { CredentialInput, CredentialView, DeployKeyView, HostKeyList } from '../projects.schemas.js';
import type { createRepositoryCredentialService } from './repository-credentials.service.js';
import type { createRepositoryKeyService } from './repository-keys.service.js';

/** What the declarations of this feature have in common. */
export const tags: [string] = ['Projects'];
export const reading = memberAccess({ scope: 'code:read' });
export const administering = memberAccess({ scope: 'brand:admin', role: 'admin' });
export const params = {
  project_id: uuidParam('Project not found', {
    description: 'The project, as list_projects shows it.',
  }),
};
export const missing = error(404, 'Not found');

/** The key of the workspace, and those of the hosts it has met. */
export function keyRoutes(keys: ReturnType<typeof createRepositoryKeyService>): Route[] {
  return [
    route({
      name: 'get_deploy_key',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/deploy-key',
      summary: "Read the workspace's key for ssh repositories",
      description: 'Made when first needed. Add it at the host of each private repository.',
      tags,
      access: administering,
      responses: { 200: DeployKeyView },
      errors: [],
      handler: ({ caller }) => keys.getDeployKey(caller),
    }),
    route({
      name: 'list_host_keys',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/host-keys',
      summary: 'List the pinned keys of ssh hosts',
      description: 'Pinned when a repository there is first read; another key is refused from then on.',
      tags,
      access: administering,
      responses: { 200: HostKeyList },
      errors: [],
      handler: ({ caller }) => keys.listHostKeys(caller),
    }),
    route({
      name: 'forget_host_key',
      method: 'DELETE',
      path: '/api/v1/brands/{brand_id}/host-keys/{host}',
      summary: "Forget a host's key; its next one is pinned",
      description: 'For a host that changed its key: check the new fingerprint with it first.',
      tags,
      access: administering,
      params: {
        host: textParam(undefined, {
          description: 'As list_host_keys shows it; with its port unless 22: `[git.example]:2222`.',
        }),
      },
      responses: { 204: null },
      errors: [error(404, 'Not found')],
      handler: async ({ caller, params: { host } }) => {
        await keys.forgetHostKey(caller, host);
        return noContent();
      },
    }),
  ];
}

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
