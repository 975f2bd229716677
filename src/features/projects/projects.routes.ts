import { noContent } from '../../http/answer/answers.js';
import { eventStream } from '../../http/answer/event-stream.js';
import {
  error,
  memberAccess,
  type Route,
  route,
  textParam,
  uuidParam,
} from '../../http/declaration/route.js';
import { ProjectChecks } from './checks/checks.schemas.js';
import {
  DeployKeyView,
  HostKeyList,
  IndexRequested,
  IndexView,
  NodeList,
  NodeQuery,
  ProjectChange,
  ProjectInput,
  ProjectList,
  ProjectView,
} from './projects.schemas.js';
import type { ProjectService } from './projects.service.js';

const tags: [string] = ['Projects'];
const reading = memberAccess({ scope: 'code:read' });
const params = {
  project_id: uuidParam('Project not found', {
    description: 'The project, as list_projects shows its project_id.',
  }),
};
const missing = error(404, 'Project not found');
const unattached = error(409, 'This project has no repository');
const localOnlyAdmin = error(403, 'Brand admin access required: only an admin may attach a local path');

export function projectRoutes(projects: ProjectService): Route[] {
  return [
    ...recordRoutes(projects),
    ...indexRoutes(projects),
    ...keyRoutes(projects),
    ...checkRoutes(projects),
  ];
}

function checkRoutes({ checks }: ProjectService): Route[] {
  const path = '/api/v1/projects/{project_id}/checks';
  return [
    route({
      name: 'get_project_checks',
      method: 'GET',
      path,
      summary: 'Read setup and checks of a project',
      description: 'Empty: `.guildhall/checks.yaml` of the repository counts.',
      tags,
      access: reading,
      params,
      responses: { 200: ProjectChecks },
      errors: [missing],
      handler: ({ caller, params: { project_id } }) => checks.getChecks(caller, project_id),
    }),
    route({
      name: 'set_project_checks',
      method: 'PUT',
      path,
      summary: 'Set setup and checks of a project',
      description: 'Whole: what is left out is gone.',
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

function keyRoutes({ keys }: ProjectService): Route[] {
  const access = memberAccess({ scope: 'brand:admin', role: 'admin' });
  return [
    route({
      name: 'get_deploy_key',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/deploy-key',
      summary: 'Read the key with which the workspace reads its ssh repositories',
      description:
        'Made when it is first asked for or needed. Add it at the host of each private repository.',
      tags,
      access,
      responses: { 200: DeployKeyView },
      errors: [],
      handler: ({ caller }) => keys.getDeployKey(caller),
    }),
    route({
      name: 'list_host_keys',
      method: 'GET',
      path: '/api/v1/brands/{brand_id}/host-keys',
      summary: 'List the keys of ssh hosts that were pinned',
      description:
        'The key of an ssh host is pinned when a repository there is first read; another key is refused from then on.',
      tags,
      access,
      responses: { 200: HostKeyList },
      errors: [],
      handler: ({ caller }) => keys.listHostKeys(caller),
    }),
    route({
      name: 'forget_host_key',
      method: 'DELETE',
      path: '/api/v1/brands/{brand_id}/host-keys/{host}',
      summary: 'Forget the key of a host, so that the one it shows next is pinned',
      description:
        'For a host that has changed its key for a good reason: check the new fingerprint with the host first.',
      tags,
      access,
      params: {
        host: textParam(undefined, {
          description:
            'The host as list_host_keys shows it; with its port unless that is 22: `[git.example]:2222`.',
        }),
      },
      responses: { 204: null },
      errors: [error(404, 'Host key not found')],
      handler: async ({ caller, params: { host } }) => {
        await keys.forgetHostKey(caller, host);
        return noContent();
      },
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
      summary: 'Make a project, with or without a repository',
      description:
        'Lessons and the code index belong to a project. With a repository, indexing starts by itself: follow it with get_project_index.',
      tags,
      access: memberAccess(),
      body: ProjectInput,
      responses: { 201: ProjectView },
      errors: [localOnlyAdmin],
      handler: ({ caller, body }) => projects.createProject(caller, body),
    }),
    route({
      name: 'list_projects',
      method: 'GET',
      path: '/api/v1/projects',
      agents: 'direct',
      summary: 'List the projects of the workspace',
      description:
        'The projects of the workspace with their repositories: the project_id is what the lesson tools ask for.',
      tags,
      access: reading,
      responses: { 200: ProjectList },
      errors: [],
      handler: ({ caller }) => projects.listProjects(caller),
    }),
    route({
      name: 'get_project',
      method: 'GET',
      path: '/api/v1/projects/{project_id}',
      summary: 'Read a project',
      description: 'Its name and repository.',
      tags,
      access: reading,
      params,
      responses: { 200: ProjectView },
      errors: [missing],
      handler: ({ caller, params: { project_id } }) => projects.getProject(caller, project_id),
    }),
    route({
      name: 'update_project',
      method: 'PATCH',
      path: '/api/v1/projects/{project_id}',
      summary: 'Rename a project, attach or detach its repository',
      description:
        'Only the fields that are sent change. A new repository is indexed by itself; null detaches it.',
      tags,
      access: memberAccess(),
      params,
      body: ProjectChange,
      responses: { 200: ProjectView },
      errors: [missing, localOnlyAdmin],
      handler: ({ caller, params: { project_id }, body }) => projects.changeProject(caller, project_id, body),
    }),
    route({
      name: 'delete_project',
      method: 'DELETE',
      path: '/api/v1/projects/{project_id}',
      summary: 'Delete a project with its index and its lessons',
      description: 'For good: it cannot be undone.',
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
      path: '/api/v1/projects/{project_id}/index',
      summary: 'Look at the repository now',
      description:
        'Answers at once; the pass runs in the background. A pass that waits already is answered again.',
      tags,
      access: memberAccess(),
      params,
      responses: { 202: IndexRequested },
      errors: [missing, unattached],
      handler: ({ caller, params: { project_id } }) => projects.requestIndex(caller, project_id),
    }),
    route({
      name: 'get_project_index',
      method: 'GET',
      path: '/api/v1/projects/{project_id}/index',
      summary: 'How the newest pass stands, and the numbers of the index in force',
      description:
        '`status` and `progress` of the newest pass, `error` when it failed; files, nodes and edges are those of the last one that succeeded.',
      tags,
      access: reading,
      params,
      responses: { 200: IndexView },
      errors: [missing, unattached],
      handler: ({ caller, params: { project_id } }) => projects.getIndex(caller, project_id),
    }),
    route({
      name: 'stream_project_index',
      method: 'GET',
      path: '/api/v1/projects/{project_id}/index/events',
      agents: 'never',
      summary: 'Follow the newest pass until it is over',
      description:
        'Server-sent events with what get_project_index answers, until the pass is ready or failed; the event `end` says so.',
      tags,
      access: reading,
      params,
      responses: {
        200: {
          contentType: 'text/event-stream',
          description: 'One `index` event for each change, then `end`',
          event: IndexView,
        },
      },
      errors: [missing, unattached],
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
            // A stream that ends without it was cut off: whoever follows may come back.
            if (over) yield { event: 'end', data: {} };
          })(),
        );
      },
    }),
    route({
      name: 'list_code_nodes',
      method: 'GET',
      path: '/api/v1/projects/{project_id}/nodes',
      summary: 'List live code: folders, files, symbols',
      description:
        'The `node_id` of a file, folder or symbol is what find_lessons_near and lookup_anchors take.',
      tags,
      access: reading,
      params,
      query: NodeQuery,
      responses: { 200: NodeList },
      errors: [missing],
      handler: ({ caller, params: { project_id }, query }) => projects.listNodes(caller, project_id, query),
    }),
  ];
}
