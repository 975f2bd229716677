import { answerWithin } from '../../platform/http/answer/error-answer.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import { memoryDeadline, memoryOutages } from '../memory/index.js';
import {
  GraphAnswer,
  GraphQuery,
  ImpactAnswer,
  ImpactQuestion,
  ListAnswer,
  ListQuery,
  LookupAnswer,
  LookupQuestion,
  NearAnswer,
  NearQuestion,
  SearchAnswer,
  SearchQuery,
  SimilarAnswer,
  SimilarQuestion,
  SyncAnswer,
  SyncRequest,
  TreeAnswer,
  TreeQuery,
} from './lessons.schemas.js';
import type { LessonService } from './lessons.service.js';

const tags: [string] = ['Lessons near code'];
const lessonReads = { tags, access: memberAccess({ scope: 'memory:read' }), mayLag: true as const };
const codeReads = { ...lessonReads, access: memberAccess({ scope: ['memory:read', 'code:read'] }) };
const projectParam = {
  project_id: uuidParam('Project not found', {
    description: 'The project, as list_projects shows it.',
  }),
};
const errors = [error(404, 'Not found'), ...memoryOutages];
const codeErrors = [
  error(404, 'No such project, or no code at that path'),
  error(409, 'The code has not been indexed yet'),
  ...memoryOutages,
];

export const lessonRoutes = (lessons: LessonService): Route[] => [
  ...[...entryRoutes(lessons), ...codeRoutes(lessons)].map((declaration) =>
    answerWithin(memoryDeadline, declaration),
  ),
  impactRoute(lessons),
];

const entryRoutes = (lessons: LessonService): Route[] => [
  route({
    ...codeReads,
    name: 'find_lessons_near',
    openToBuilds: { own: { project_id: 'project_id' } },
    method: 'POST',
    path: '/api/v1/memory/entries:near',
    effect: 'read',
    agents: 'direct',
    summary: 'Find the lessons on and around code',
    description:
      'Nearest first, including lessons on code that imports, calls or contains the start points. Call it before you edit code.',
    body: NearQuestion,
    responses: { 200: NearAnswer },
    errors: [error(404, 'The project is missing or has no repository'), ...memoryOutages],
    handler: ({ caller, body }) => lessons.findNear(caller.brandId, body),
  }),
  route({
    ...lessonReads,
    name: 'list_lessons',
    method: 'GET',
    path: '/api/v1/memory/entries',
    pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items' },
    summary: 'List the lessons of a project',
    description: 'Ordered by path.',
    query: ListQuery,
    responses: { 200: ListAnswer },
    errors,
    handler: ({ caller, query }) => lessons.listLessons(caller.brandId, query),
  }),
  route({
    ...lessonReads,
    name: 'search_lessons',
    openToBuilds: { own: { project_id: 'project_id' } },
    method: 'GET',
    path: '/api/v1/memory/entries/search',
    agents: 'direct',
    summary: 'Search the lessons about a place in the code',
    description:
      'Finds lessons anchored to the place, to a symbol in it or to a folder around it. `stale=true` finds lessons whose code was removed.',
    query: SearchQuery,
    responses: { 200: SearchAnswer },
    errors,
    handler: ({ caller, query }) => lessons.search(caller.brandId, query),
  }),
  route({
    ...lessonReads,
    name: 'lookup_anchors',
    method: 'POST',
    path: '/api/v1/memory/anchors:lookup',
    effect: 'read',
    summary: 'Count the lessons on code nodes',
    description: 'Returns the number of lessons and up to five lessons for each node that has any.',
    body: LookupQuestion,
    responses: { 200: LookupAnswer },
    errors,
    handler: ({ caller, body }) => lessons.lookUp(caller.brandId, body),
  }),
  route({
    ...lessonReads,
    name: 'find_similar_lessons',
    openToBuilds: { own: { project_id: 'project_id' } },
    method: 'POST',
    path: '/api/v1/memory/entries:similar',
    effect: 'read',
    agents: 'direct',
    summary: 'Find lessons with nearly the same meaning',
    description: 'Call it before you write a lesson.',
    body: SimilarQuestion,
    responses: { 200: SimilarAnswer },
    errors: memoryOutages,
    handler: ({ caller, body }) => lessons.findSimilar(caller.brandId, body),
  }),
  route({
    name: 'sync_lessons',
    method: 'POST',
    path: '/api/v1/memory/entries:sync',
    summary: 'Push lesson files of a project',
    description:
      'Files are Markdown with front matter (`type`, `anchors`, ...). Returns the changes and possible duplicates. A file that cannot be read is a warning.',
    tags,
    access: memberAccess({ scope: 'memory:write' }),
    body: SyncRequest,
    responses: { 200: SyncAnswer },
    errors,
    handler: ({ caller, body }) => lessons.sync(caller, body),
  }),
];

const codeRoutes = (lessons: LessonService): Route[] => [
  route({
    ...codeReads,
    name: 'get_code_graph',
    method: 'GET',
    path: '/api/v1/projects/{project_id}/graph',
    summary: 'Get the code around a place with lesson counts',
    description: 'Follows links in both directions, like find_lessons_near.',
    params: projectParam,
    query: GraphQuery,
    responses: { 200: GraphAnswer },
    errors: codeErrors,
    handler: ({ caller, params, query }) =>
      lessons.readSurroundings(caller.brandId, params.project_id, query),
  }),
  route({
    ...codeReads,
    name: 'list_code_children',
    method: 'GET',
    path: '/api/v1/projects/{project_id}/tree',
    summary: 'List the contents of a folder or file with lesson counts',
    description: 'Returns the folders and files in a folder, or the symbols in a file.',
    params: projectParam,
    query: TreeQuery,
    responses: { 200: TreeAnswer },
    errors: codeErrors,
    handler: ({ caller, params, query }) =>
      lessons.listChildren(caller.brandId, params.project_id, query.path),
  }),
];

const impactRoute = (lessons: LessonService): Route =>
  route({
    name: 'get_lessons_impact',
    method: 'POST',
    path: '/api/v1/projects/{project_id}/lessons:impact',
    effect: 'read',
    summary: 'Get the lessons that a merge affects',
    description:
      'Call it before you merge. Update the lessons under `stale`, and check the ones under `touched`.',
    tags,
    access: codeReads.access,
    params: projectParam,
    body: ImpactQuestion,
    responses: { 200: ImpactAnswer },
    errors: [
      error(404, 'Not found'),
      error(409, 'This project has no repository'),
      error(502, 'The repository is not reachable'),
      error(504, 'No answer within 30 seconds'),
    ],
    handler: ({ caller, params, body }) =>
      lessons.getMergeImpact(caller.brandId, params.project_id, body.base, body.head),
  });
