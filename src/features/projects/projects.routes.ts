import { Type } from 'typebox';
import { noContent } from '../../platform/http/answer/answers.js';
import { eventStream } from '../../platform/http/answer/event-stream.js';
import { error, memberAccess, type Route, route } from '../../platform/http/declaration/route.js';
import { QuotaExceededSchema } from '../memory/index.js';
import { ProjectChecks } from './checks/checks.schemas.js';
import {
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
import {
  credentialRoutes,
  keyRoutes,
  missing,
  params,
  reading,
  tags,
} from './repository/repository.routes.js';

const unattached = error(409, 'This project has no repository');
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
    ...credentialRoutes(projects.credentials),
    ...keyRoutes(projects.keys),
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

function recordRoutes(projects: ProjectService): Route[] {
  return [
    route({
      name: 'create_project',
      method: 'POST',
      path: '/api/v1/projects',
      creates: {},
      summary: 'Make a project',
      description: 'Lessons and the code index belong to it. get_project_index follows the indexing.',
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
      description: 'Lesson tools ask for the project_id.',
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
      description: 'Only sent fields change. A new repository is indexed by itself; null detaches it.',
      tags,
      access: memberAccess(),
      params,
      body: ProjectChange,
      responses: { 200: ProjectView },
      errors: [missing, onlyAdmin],
      handler: ({ caller, params: { project_id }, body }) => projects.changeProject(caller, project_id, body),
    }),
    route({
      name: 'delete_project',
      method: 'DELETE',
      path: '/api/v1/projects/{project_id}',
      summary: 'Delete a project, its index and its lessons',
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
      description: 'It runs in the background. A pass that waits already is answered again.',
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
      summary: 'How the newest index pass stands',
      description:
        '`status`, `progress` and `error` are of the newest pass; files, nodes and edges of the last that succeeded.',
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
      summary: 'Follow the newest index pass',
      description:
        'Server-sent events of what get_project_index answers, until the event `end`: ready or failed.',
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
      description: 'find_lessons_near and lookup_anchors take the `node_id`.',
      mayLag: true,
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
