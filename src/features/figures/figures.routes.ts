import { type Static, Type } from 'typebox';
import { memberAccess, type Route, route } from '../../platform/http/declaration/route.js';
import { Closed, Day, Described, Named, Uuid } from '../../platform/http/declaration/schemas.js';

export const FiguresQuery = Type.Object({
  weeks: Type.Integer({
    minimum: 1,
    maximum: 52,
    default: 12,
    description: 'Number of weeks, up to and including the current one.',
  }),
});

const Week = Named('Week', Described('Monday of the week, in UTC', Day));

export const FiguresAnswer = Named(
  'WorkspaceFigures',
  Closed({
    weeks: Type.Array(Week, { description: 'Oldest first; the last week is the current one.' }),
    cards: Type.Array(
      Closed({
        week: Week,
        made: Type.Integer(),
        done: Type.Integer({ description: 'Cards completed in that week that are still done' }),
      }),
    ),
    builds: Type.Array(
      Closed({
        week: Week,
        coder: Type.String(),
        builds: Type.Integer({ description: 'Builds requested in that week' }),
        succeeded: Type.Integer(),
        tokens_in: Type.Integer(),
        tokens_out: Type.Integer(),
        cost_usd: Type.Number(),
      }),
      { description: 'One item per coder and week; coders without builds are left out.' },
    ),
    memories: Type.Array(
      Closed({ week: Week, total: Type.Integer({ description: 'Memories in use at the end of the week' }) }),
    ),
    desks: Type.Array(
      Closed({
        workstation_id: Uuid,
        name: Type.String(),
        ready_share: Type.Number({ description: 'Share of its lifetime in which it was ready, 0 to 1' }),
        days: Type.Array(Closed({ day: Day, ready_minutes: Type.Integer() }), {
          description: 'The last 14 days, including today.',
        }),
      }),
      { description: 'Sorted by name; at most 200.' },
    ),
  }),
);
export type FiguresAnswer = Static<typeof FiguresAnswer>;

export const figuresRoutes = (figures: {
  readFigures(brandId: number, weeks: number): Promise<FiguresAnswer>;
}): Route[] => [
  route({
    name: 'get_workspace_figures',
    method: 'GET',
    path: '/api/v1/brands/{brand_id}/figures',
    summary: 'Get weekly statistics of the workspace',
    description: 'Counts of cards, builds and memories by week, and the availability of desks.',
    mayLag: true,
    tags: ['Workspace settings'],
    access: memberAccess({ scope: 'brand:read' }),
    query: FiguresQuery,
    responses: { 200: FiguresAnswer },
    errors: [],
    handler: ({ caller, query }) => figures.readFigures(caller.brandId, query.weeks),
  }),
];
