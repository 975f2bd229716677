import { Type } from 'typebox';
import { eventStream, noContent } from '../../platform/http/answer/answers.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../platform/http/declaration/route.js';
import { QuotaExceededSchema } from '../memory/index.js';
import {
  CredentialInput,
  CredentialView,
  DeployKeyView,
  HostKeyList,
  IndexRequested,
  IndexView,
  NodeList,
  NodeQuery,
  ProjectChange,
  ProjectChecks,
  ProjectInput,
  ProjectList,
  ProjectView,
} from './projects.schemas.js';
import type { ProjectService } from './projects.service.js';
import { ProjectSecret, ProjectSecretInput, ProjectSecretList } from './secrets/project-secrets.schemas.js';

const PROJECT = '/api/v1/projects/{project_id}';
const tags: [string] = ['Projects'];
const reading = memberAccess({ scope: 'code:read' });
const administering = memberAccess({ scope: 'brand:admin', role: 'admin' });
const params = {
  project_id: uuidParam('Project not found', {
    description: 'The project, from list_projects.',
  }),
};
const missing = error(404, 'Not found');
const noRepository = error(409, 'This project has no repository');
const asReader = { tags, access: reading, params, errors: [missing] };
const asMember = { tags, access: memberAccess(), params };
const asAdmin = { tags, access: administering, params, errors: [missing] };

const onlyAdmin = error(
  403,
  'Brand admin access required: for a local path, or to move a project that has a token',
);

const noMoreOrOnlyAdmin = error(
  403,
  'The plan allows no more, or only an admin may attach a local path',
  Type.Union([Type.String(), QuotaExceededSchema]),
);

export function projectRoutes(projects: ProjectService): Route[] {
  return [
    ...recordRoutes(projects),
    ...indexRoutes(projects),
    ...secretRoutes(projects),
    ...credentialRoutes(projects),
    ...keyRoutes(projects),
    ...checkRoutes(projects),
  ];
}

function checkRoutes({ checks }: ProjectService): Route[] {
  return [
    route({
      name: 'get_project_checks',
      method: 'GET',
      path: `${PROJECT}/checks`,
      summary: 'Get the setup and checks of a project',
      description: 'When both are empty, `.guildhall/checks.yaml` of the repository applies.',
      ...asReader,
      responses: { 200: ProjectChecks },
      handler: ({ caller, params: { project_id } }) => checks.getChecks(caller, project_id),
    }),
    route({
      name: 'set_project_checks',
      method: 'PUT',
      path: `${PROJECT}/checks`,
      summary: 'Set the setup and checks of a project',
      description: 'Replaces the whole definition: fields left out are reset.',
      tags,
      access: memberAccess({ role: 'admin' }),
      params,
      body: ProjectChecks,
      responses: { 200: ProjectChecks },
      errors: [missing],
      handler: ({ caller, params: { project_id }, body }) => checks.setChecks(caller, project_id, body),
    }),
  ];
}

function recordRoutes(projects: ProjectService): Route[] {
  return [
    route({
      name: 'create_project',
      method: 'POST',
      path: '/api/v1/projects',
      creates: {},
      summary: 'Create a project',
      description: 'A project owns lessons and a code index. Follow indexing with get_project_index.',
      tags,
      access: memberAccess(),
      body: ProjectInput,
      responses: { 201: ProjectView },
      errors: [noMoreOrOnlyAdmin],
      handler: ({ caller, body }) => projects.createProject(caller, body),
    }),
    route({
      name: 'list_projects',
      method: 'GET',
      path: '/api/v1/projects',
      agents: 'direct',
      summary: 'List the projects of the workspace',
      description: 'Lesson tools need the project_id.',
      tags,
      access: reading,
      responses: { 200: ProjectList },
      errors: [],
      handler: ({ caller }) => projects.listProjects(caller),
    }),
    route({
      name: 'get_project',
      method: 'GET',
      path: PROJECT,
      summary: 'Get a project',
      description: 'Returns its name and repository.',
      ...asReader,
      responses: { 200: ProjectView },
      handler: ({ caller, params: { project_id } }) => projects.getProject(caller, project_id),
    }),
    route({
      name: 'update_project',
      method: 'PATCH',
      path: PROJECT,
      summary: 'Rename a project, attach or detach its repository',
      description:
        'Changes only the fields you send. Indexes a new repository automatically; null detaches it.',
      ...asMember,
      body: ProjectChange,
      responses: { 200: ProjectView },
      errors: [missing, onlyAdmin],
      handler: ({ caller, params: { project_id }, body }) => projects.changeProject(caller, project_id, body),
    }),
    route({
      name: 'delete_project',
      method: 'DELETE',
      path: PROJECT,
      summary: 'Delete a project, its index and its lessons',
      description: 'This cannot be undone.',
      tags,
      access: memberAccess({ role: 'admin' }),
      params,
      responses: { 204: null },
      errors: [missing],
      handler: async ({ caller, params: { project_id } }) => {
        await projects.deleteProject(caller, project_id);
        return noContent();
      },
    }),
  ];
}

function indexRoutes(projects: ProjectService): Route[] {
  return [
    route({
      name: 'request_project_index',
      method: 'POST',
      path: `${PROJECT}/index`,
      summary: 'Index the repository now',
      description: 'Runs in the background. Returns the waiting run when there is one.',
      ...asMember,
      responses: { 202: IndexRequested },
      errors: [missing, noRepository],
      handler: ({ caller, params: { project_id } }) => projects.requestIndex(caller, project_id),
    }),
    route({
      name: 'get_project_index',
      method: 'GET',
      path: `${PROJECT}/index`,
      summary: 'Get the newest index run',
      description:
        '`status`, `progress` and `error` describe the newest run; files, nodes and edges the last successful one.',
      ...asReader,
      responses: { 200: IndexView },
      errors: [missing, noRepository],
      handler: ({ caller, params: { project_id } }) => projects.getIndex(caller, project_id),
    }),
    route({
      name: 'stream_project_index',
      method: 'GET',
      path: `${PROJECT}/index/events`,
      agents: 'never',
      summary: 'Follow the newest index run',
      description:
        'Server-sent events with the same data as get_project_index, until the event `end`: ready or failed.',
      ...asReader,
      responses: {
        200: {
          contentType: 'text/event-stream',
          description: 'One `index` event per change, then `end`',
          event: IndexView,
        },
      },
      errors: [missing, noRepository],
      handler: async ({ caller, params: { project_id }, signal }) => {
        await projects.getIndex(caller, project_id);
        const views = projects.followIndex(caller, project_id, signal);
        return eventStream(
          (async function* () {
            let over = false;
            for await (const view of views) {
              yield { event: 'index', data: view };
              over = view.status === 'ready' || view.status === 'failed';
            }
            // A stream without `end` was cut off, and the client may reconnect.
            if (over) yield { event: 'end', data: {} };
          })(),
        );
      },
    }),
    route({
      name: 'list_code_nodes',
      method: 'GET',
      path: `${PROJECT}/nodes`,
      summary: 'List live code: folders, files, symbols',
      description: 'Pass the `node_id` to find_lessons_near and lookup_anchors.',
      mayLag: true,
      ...asReader,
      query: NodeQuery,
      responses: { 200: NodeList },
      handler: ({ caller, params: { project_id }, query }) => projects.listNodes(caller, project_id, query),
    }),
  ];
}

function keyRoutes({ credentials }: ProjectService): Route[] {
  return [
    route({
      name: 'get_deploy_key',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/deploy-key',
      summary: "Get the workspace's key for ssh repositories",
      description: 'Created on first use. Add it at the host of each private repository.',
      tags,
      access: administering,
      responses: { 200: DeployKeyView },
      errors: [],
      handler: ({ caller }) => credentials.getDeployKey(caller),
    }),
    route({
      name: 'list_host_keys',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/host-keys',
      summary: 'List the pinned keys of ssh hosts',
      description:
        'A key is pinned when a repository of the host is first read; other keys are then refused.',
      tags,
      access: administering,
      responses: { 200: HostKeyList },
      errors: [],
      handler: ({ caller }) => credentials.listHostKeys(caller),
    }),
    route({
      name: 'forget_host_key',
      method: 'DELETE',
      path: '/api/v1/brands/{brand_id}/host-keys/{host}',
      summary: "Forget a host's pinned key",
      description:
        'Use it when a host changed its key; its next key is pinned. Check the new fingerprint first.',
      tags,
      access: administering,
      params: {
        host: textParam(undefined, {
          description: 'The host as list_host_keys shows it, with its port unless 22: `[git.example]:2222`.',
        }),
      },
      responses: { 204: null },
      errors: [error(404, 'Not found')],
      handler: async ({ caller, params: { host } }) => {
        await credentials.forgetHostKey(caller, host);
        return noContent();
      },
    }),
  ];
}

function credentialRoutes({ credentials }: ProjectService): Route[] {
  return [
    route({
      name: 'get_project_credentials',
      method: 'GET',
      path: `${PROJECT}/credentials`,
      summary: "Get a project's repository credentials",
      description: 'Add the public key at the host. Secrets are never returned.',
      ...asReader,
      responses: { 200: CredentialView },
      handler: ({ caller, params: { project_id } }) => credentials.get(caller, project_id),
    }),
    route({
      name: 'set_project_credentials',
      method: 'PUT',
      path: `${PROJECT}/credentials`,
      agents: 'never',
      summary: 'Set the deploy key or token of a project',
      description: 'Keeps an existing deploy key.',
      ...asAdmin,
      body: CredentialInput,
      responses: { 200: CredentialView },
      errors: [missing, noRepository],
      handler: ({ caller, params: { project_id }, body }) => credentials.set(caller, project_id, body),
    }),
    route({
      name: 'rotate_project_key',
      method: 'POST',
      path: `${PROJECT}/credentials/rotate`,
      agents: 'never',
      summary: 'Replace the deploy key of a project',
      description: 'The old key is tried until the new one has worked.',
      ...asAdmin,
      responses: { 200: CredentialView },
      errors: [missing, error(409, 'This project has no deploy key of its own')],
      handler: ({ caller, params: { project_id } }) => credentials.rotate(caller, project_id),
    }),
    route({
      name: 'remove_project_credentials',
      method: 'DELETE',
      path: `${PROJECT}/credentials`,
      agents: 'never',
      summary: 'Remove the credentials of a project',
      description: "Deletes the project's key or token. The project uses the workspace's key again.",
      ...asAdmin,
      responses: { 204: null },
      handler: async ({ caller, params: { project_id } }) => {
        await credentials.remove(caller, project_id);
        return noContent();
      },
    }),
  ];
}

const secretName = {
  name: textParam(undefined, {
    description: 'The name of the environment variable: 1 to 64 of A-Z, 0-9 and _.',
  }),
};

function secretRoutes({ secrets }: ProjectService): Route[] {
  return [
    route({
      name: 'list_project_secrets',
      method: 'GET',
      path: `${PROJECT}/secrets`,
      summary: 'List the secrets of a project',
      description: 'Values are never returned.',
      ...asReader,
      responses: { 200: ProjectSecretList },
      handler: ({ caller, params: { project_id } }) => secrets.list(caller, project_id),
    }),
    route({
      name: 'set_project_secret',
      method: 'PUT',
      path: `${PROJECT}/secrets/{name}`,
      agents: 'never',
      summary: 'Set a secret of a project',
      description:
        'Builds and checks that start afterwards get it as an environment variable. Logs and results mask it.',
      ...asAdmin,
      params: { ...asAdmin.params, ...secretName },
      body: ProjectSecretInput,
      responses: { 200: ProjectSecret },
      errors: [
        missing,
        error(409, 'The project has 50 secrets'),
        error(422, 'The name is invalid or reserved, or the value is larger than 64 KiB'),
      ],
      handler: ({ caller, params: { project_id, name }, body }) =>
        secrets.set(caller, project_id, name, body),
    }),
    route({
      name: 'delete_project_secret',
      method: 'DELETE',
      path: `${PROJECT}/secrets/{name}`,
      agents: 'never',
      summary: 'Delete a secret of a project',
      description: 'Builds that are running keep it.',
      ...asAdmin,
      params: { ...asAdmin.params, ...secretName },
      responses: { 204: null },
      errors: [error(404, 'Project not found, or Secret not found')],
      handler: async ({ caller, params: { project_id, name } }) => {
        await secrets.remove(caller, project_id, name);
        return noContent();
      },
    }),
  ];
}
