import { memberAccess, type Route, route } from '../../platform/http/declaration/route.js';
import { FiguresAnswer, FiguresQuery } from './figures.schemas.js';
import type { FiguresService } from './figures.service.js';

export const figuresRoutes = (figures: FiguresService): Route[] => [
  route({
    name: 'get_workspace_figures',
    method: 'GET',
    path: '/api/v1/brands/{brand_id}/figures',
    summary: 'How the workspace is doing, week by week',
    description: 'Cards, builds, memories, desks.',
    mayLag: true,
    tags: ['Workspace settings'],
    access: memberAccess({ scope: 'brand:read' }),
    query: FiguresQuery,
    responses: { 200: FiguresAnswer },
    errors: [],
    handler: ({ caller, query }) => figures.readFigures(caller.brandId, query.weeks),
  }),
];
