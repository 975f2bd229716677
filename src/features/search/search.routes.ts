import { memberAccess, type Route, route } from '../../platform/http/declaration/route.js';
import { SearchAnswer, SearchQuery } from './search.schemas.js';
import type { SearchService } from './search.service.js';

export const searchRoutes = (search: SearchService): Route[] => [
  route({
    name: 'search_everything',
    method: 'GET',
    path: '/api/v1/search',
    summary: 'Search everything you may see',
    description: 'Cards, boards, people, agents, memories, lessons, builds and projects.',
    mayLag: true,
    tags: ['Search'],
    access: memberAccess({ role: 'guest' }),
    query: SearchQuery,
    responses: { 200: SearchAnswer },
    errors: [],
    handler: ({ caller, query }) => search.search(caller, query),
  }),
];
