import {
  error,
  memberAccess,
  type Route,
  route,
  uuidParam,
} from '../../../platform/http/declaration/route.js';
import { memoryOutages } from '../../memory/index.js';
import { GraphAnswer, GraphQuery, TreeAnswer, TreeQuery } from './map.schemas.js';
import type { createMapService } from './map.service.js';

type MapService = ReturnType<typeof createMapService>;

const tags: [string] = ['Lessons near code'];
const access = memberAccess({ scope: ['memory:read', 'code:read'] });
const params = {
  project_id: uuidParam('Project not found', {
    description: 'The project, as list_projects shows it.',
  }),
};
const errors = [
  error(404, 'No such project, or no code at that path'),
  error(409, 'The code has not been indexed yet'),
  ...memoryOutages,
];

/** The code as a map, with the lessons on it. */
export const mapRoutes = (lessons: MapService): Route[] => [
  route({
    name: 'get_code_graph',
    method: 'GET',
    path: '/api/v1/projects/{project_id}/graph',
    summary: "Walk the code around a place, with the lessons' counts",
    description: 'As find_lessons_near does, in both directions.',
    mayLag: true,
    tags,
    access,
    params,
    query: GraphQuery,
    responses: { 200: GraphAnswer },
    errors,
    handler: ({ caller, params: { project_id }, query }) =>
      lessons.readSurroundings(caller.brandId, project_id, query),
  }),
  route({
    name: 'list_code_children',
    method: 'GET',
    path: '/api/v1/projects/{project_id}/tree',
    summary: "What a folder or file holds, with the lessons' counts",
    description: 'Folders and files of a folder, symbols of a file.',
    mayLag: true,
    tags,
    access,
    params,
    query: TreeQuery,
    responses: { 200: TreeAnswer },
    errors,
    handler: ({ caller, params: { project_id }, query }) =>
      lessons.listChildren(caller.brandId, project_id, query.path),
  }),
];
