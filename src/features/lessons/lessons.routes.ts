import { answerWithin } from '../../platform/http/answer/answer-deadline.js';
import { error, memberAccess, type Route, route, uuidParam } from '../../platform/http/declaration/route.js';
import { memoryDeadline, memoryOutages } from '../memory/index.js';
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
const missing = error(404, 'Not found');

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
      summary: 'Find the lessons on and around code',
      description:
        'Nearest first, also on code that imports, calls or contains what you are about to change. Ask it before you edit.',
      mayLag: true,
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
      summary: 'List the lessons of a project',
      description: 'By path.',
      mayLag: true,
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
      summary: 'Find the lessons about a place in the code',
      description:
        'Anchored to it, to a symbol in it or to a folder around it. `stale=true`: those whose code has changed or gone.',
      mayLag: true,
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
      summary: 'Count the lessons on code nodes',
      description: 'Up to 1,000 nodes: counts for each that has lessons, and up to five of them.',
      mayLag: true,
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
      description: 'Ask it before you write one.',
      mayLag: true,
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
        'Markdown with front matter (`type`, `anchors`, ...). Answers what changed and possible duplicates; an unreadable file is a warning.',
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
    summary: 'Tell which lessons a merge would touch',
    description: 'Ask it before you merge: update what is `stale`, look at what is `touched`.',
    tags,
    access: memberAccess({ scope: ['memory:read', 'code:read'] }),
    params: {
      project_id: uuidParam('Project not found', {
        description: 'The project, as list_projects shows it.',
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
