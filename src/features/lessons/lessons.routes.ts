import { answerWithin } from '../../http/answer/answer-deadline.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../http/declaration/route.js';
import { memoryDeadline, memoryOutages } from '../memory/memory.errors.js';
import {
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
} from './lessons.schemas.js';
import type { LessonService } from './lessons.service.js';
import { mapRoutes } from './map/map.routes.js';

const tags: [string] = ['Lessons near code'];
const missing = error(404, 'Project not found');

export const lessonRoutes = (lessons: LessonService): Route[] => [
  ...[...memoryRoutes(lessons), ...mapRoutes(lessons)].map((declaration) =>
    answerWithin(memoryDeadline, declaration),
  ),
  impactRoute(lessons),
];

function memoryRoutes(lessons: LessonService): Route[] {
  return [
    route({
      name: 'find_lessons_near',
      openToBuilds: { own: { project_id: 'project_id' } },
      method: 'POST',
      path: '/api/v1/memory/entries:near',
      effect: 'read',
      agents: 'direct',
      summary: 'Walk the code graph outward and return the lessons on every node reached',
      description:
        'Lessons (rules, decisions, gotchas) on the files you are about to change and on the code that imports, calls or contains them, nearest first. Ask it before you edit.',
      tags,
      access: memberAccess({ scope: ['memory:read', 'code:read'] }),
      body: NearQuestion,
      responses: { 200: NearAnswer },
      errors: [error(404, 'The project is missing or has no repository'), ...memoryOutages],
      handler: ({ caller, body }) => lessons.findNear(caller.brandId, body),
    }),
    route({
      name: 'list_lessons',
      method: 'GET',
      path: '/api/v1/memory/entries',
      pagination: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items' },
      summary: 'List the lessons of a project, page by page',
      description:
        'All lessons of a project by path, with filters; `next_cursor` is sent back as `cursor` and is null at the end.',
      tags,
      access: memberAccess({ scope: 'memory:read' }),
      query: ListQuery,
      responses: { 200: ListAnswer },
      errors: [missing, ...memoryOutages],
      handler: ({ caller, query }) => lessons.listLessons(caller.brandId, query),
    }),
    route({
      name: 'search_lessons',
      openToBuilds: { own: { project_id: 'project_id' } },
      method: 'GET',
      path: '/api/v1/memory/entries/search',
      agents: 'direct',
      summary: 'Find the lessons anchored at, in or around a place in the code',
      description:
        'Lessons about one place in the code: anchored to it, to a symbol in it or to a folder around it. `stale=true` lists the lessons whose code has changed or gone.',
      tags,
      access: memberAccess({ scope: 'memory:read' }),
      query: SearchQuery,
      responses: { 200: SearchAnswer },
      errors: [missing, ...memoryOutages],
      handler: ({ caller, query }) => lessons.search(caller.brandId, query),
    }),
    route({
      name: 'lookup_anchors',
      method: 'POST',
      path: '/api/v1/memory/anchors:lookup',
      effect: 'read',
      summary: 'Count the lessons on up to 1,000 nodes and show the first of each',
      description: 'For maps of a code base: counts for each node that has lessons, and up to five of them.',
      tags,
      access: memberAccess({ scope: 'memory:read' }),
      body: LookupQuestion,
      responses: { 200: LookupAnswer },
      errors: [missing, ...memoryOutages],
      handler: ({ caller, body }) => lessons.lookUp(caller.brandId, body),
    }),
    route({
      name: 'find_similar_lessons',
      openToBuilds: { own: { project_id: 'project_id' } },
      method: 'POST',
      path: '/api/v1/memory/entries:similar',
      effect: 'read',
      agents: 'direct',
      summary: 'Find lessons that say nearly the same',
      description: 'Whether a lesson like yours exists already: ask it before you write a new one.',
      tags,
      access: memberAccess({ scope: 'memory:read' }),
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
        'Markdown files with front matter (`type`, `anchors`, ...). Answers what was created, updated or removed, and possible duplicates; a file that cannot be read is a warning.',
      tags,
      access: memberAccess({ scope: 'memory:write' }),
      body: SyncRequest,
      responses: { 200: SyncAnswer },
      errors: [missing, ...memoryOutages],
      handler: ({ caller, body }) => lessons.sync(caller, body),
    }),
  ];
}

const impactRoute = (lessons: LessonService): Route =>
  route({
    name: 'get_lessons_impact',
    method: 'POST',
    path: '/api/v1/projects/{project_id}/lessons:impact',
    effect: 'read',
    summary: 'Tell which lessons a merge would make stale, move or touch',
    description:
      'Ask it before you merge: update the lessons under `stale`, and look at those under `touched`.',
    tags,
    access: memberAccess({ scope: ['memory:read', 'code:read'] }),
    params: {
      project_id: uuidParam('Project not found', {
        description: 'The project, as list_projects shows its project_id.',
      }),
    },
    body: ImpactQuestion,
    responses: { 200: ImpactAnswer },
    errors: [
      missing,
      error(409, 'This project has no repository'),
      error(502, 'The repository is not reachable'),
      error(504, 'No answer within 30 seconds'),
    ],
    handler: ({ caller, params, body }) =>
      lessons.foresee(caller.brandId, params.project_id, body.base, body.head),
  });
