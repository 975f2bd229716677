import { error, memberAccess, type Route, route, uuidParam } from '../../http/route.js';
import {
  ImpactAnswer,
  ImpactQuestion,
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
import { withMemoryDeadline } from './memory-deadline.js';

const tags: [string] = ['Lessons near code'];
const missing = error(404, 'Project not found');
const unreachable = [
  error(502, 'The memory service is unreachable'),
  error(504, 'No answer within 30 seconds'),
];

export function lessonRoutes(lessons: LessonService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/v1/memory/entries:near',
      summary: 'Walk the code graph outward and return the lessons on every node reached',
      tags,
      access: memberAccess({ scope: ['memory:read', 'code:read'] }),
      body: NearQuestion,
      responses: { 200: NearAnswer },
      errors: [error(404, 'The project is missing or has no repository')],
      handler: ({ caller, body }) => lessons.findNear(caller.brandId, body),
    }),
    route({
      method: 'GET',
      path: '/api/v1/memory/entries/search',
      summary: 'Find the lessons anchored at, in or around a place in the code',
      tags,
      access: memberAccess({ scope: 'memory:read' }),
      query: SearchQuery,
      responses: { 200: SearchAnswer },
      errors: [missing, ...unreachable],
      handler: ({ caller, query }) => withMemoryDeadline(lessons.search(caller.brandId, query)),
    }),
    route({
      method: 'POST',
      path: '/api/v1/memory/anchors:lookup',
      summary: 'Count the lessons on up to 1,000 nodes and show the first of each',
      tags,
      access: memberAccess({ scope: 'memory:read' }),
      body: LookupQuestion,
      responses: { 200: LookupAnswer },
      errors: [missing, ...unreachable],
      handler: ({ caller, body }) => withMemoryDeadline(lessons.lookUp(caller.brandId, body)),
    }),
    route({
      method: 'POST',
      path: '/api/v1/memory/entries:similar',
      summary: 'Find lessons that say nearly the same',
      tags,
      access: memberAccess({ scope: 'memory:read' }),
      body: SimilarQuestion,
      responses: { 200: SimilarAnswer },
      errors: unreachable,
      handler: ({ caller, body }) => withMemoryDeadline(lessons.findSimilar(caller.brandId, body)),
    }),
    route({
      method: 'POST',
      path: '/api/v1/memory/entries:sync',
      summary: 'Push lesson files of a project',
      tags,
      access: memberAccess({ scope: 'memory:write' }),
      body: SyncRequest,
      responses: { 200: SyncAnswer },
      errors: [missing, ...unreachable],
      handler: ({ caller, body }) => withMemoryDeadline(lessons.sync(caller, body)),
    }),
    route({
      method: 'POST',
      path: '/api/v1/projects/{project_id}/lessons:impact',
      summary: 'Tell which lessons a merge would make stale, move or touch',
      tags,
      access: memberAccess({ scope: ['memory:read', 'code:read'] }),
      params: { project_id: uuidParam('Project not found') },
      body: ImpactQuestion,
      responses: { 200: ImpactAnswer },
      errors: [
        missing,
        error(409, 'This project has no repository'),
        error(502, 'The repository could not be read'),
        error(504, 'No answer in time'),
      ],
      handler: ({ caller, params, body }) =>
        lessons.foresee(caller.brandId, params.project_id, body.base, body.head),
    }),
  ];
}
