import { noContent } from '../../http/answers.js';
import { eventStream } from '../../http/event-stream.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../http/route.js';
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

const tags: [string] = ['Projects'];
const reading = memberAccess({ scope: 'code:read' });
const params = { project_id: uuidParam('Project not found') };
const missing = error(404, 'Project not found');
const unattached = error(409, 'This project has no repository');
const localOnlyAdmin = error(403, 'Brand admin access required: only an admin may attach a local path');

export function projectRoutes(projects: ProjectService): Route[] {
  return [...recordRoutes(projects), ...indexRoutes(projects)];
}

function recordRoutes(projects: ProjectService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/v1/projects',
      summary: 'Make a project, with or without a repository',
      tags,
      access: memberAccess(),
      body: ProjectInput,
      responses: { 201: ProjectView },
      errors: [localOnlyAdmin],
      handler: ({ caller, body }) => projects.createProject(caller, body),
    }),
    route({
      method: 'GET',
      path: '/api/v1/projects',
      summary: 'List the projects of the workspace',
      tags,
      access: reading,
      responses: { 200: ProjectList },
      errors: [],
      handler: ({ caller }) => projects.listProjects(caller),
    }),
    route({
      method: 'GET',
      path: '/api/v1/projects/{project_id}',
      summary: 'Read a project',
      tags,
      access: reading,
      params,
      responses: { 200: ProjectView },
      errors: [missing],
      handler: ({ caller, params: { project_id } }) => projects.getProject(caller, project_id),
    }),
    route({
      method: 'PATCH',
      path: '/api/v1/projects/{project_id}',
      summary: 'Rename a project, attach or detach its repository',
      tags,
      access: memberAccess(),
      params,
      body: ProjectChange,
      responses: { 200: ProjectView },
      errors: [missing, localOnlyAdmin],
      handler: ({ caller, params: { project_id }, body }) => projects.changeProject(caller, project_id, body),
    }),
    route({
      method: 'DELETE',
      path: '/api/v1/projects/{project_id}',
      summary: 'Delete a project with its index and its lessons',
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
      method: 'GET',
      path: '/api/v1/projects/{project_id}/index',
      summary: 'How the newest pass stands, and the numbers of the index in force',
      tags,
      access: reading,
      params,
      responses: { 200: IndexView },
      errors: [missing, unattached],
      handler: ({ caller, params: { project_id } }) => projects.getIndex(caller, project_id),
    }),
    route({
      method: 'GET',
      path: '/api/v1/projects/{project_id}/index/events',
      summary: 'Follow the newest pass until it is over',
      tags,
      access: reading,
      params,
      responses: {
        200: { contentType: 'text/event-stream', description: 'One `index` event for each change' },
      },
      errors: [missing, unattached],
      handler: async ({ caller, params: { project_id }, signal }) => {
        await projects.getIndex(caller, project_id);
        const views = projects.watchIndex(caller, project_id, signal);
        return eventStream(
          (async function* () {
            for await (const view of views) yield { event: 'index', data: view };
          })(),
        );
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/projects/{project_id}/nodes',
      summary: 'List live code: folders, files, symbols',
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
