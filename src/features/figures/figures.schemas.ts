import { type Static, Type } from 'typebox';
import { Closed, Day, Described, Named, Uuid } from '../../platform/http/declaration/schemas.js';

export const FiguresQuery = Type.Object({
  weeks: Type.Integer({
    minimum: 1,
    maximum: 52,
    default: 12,
    description: 'How many weeks back.',
  }),
});

const Week = Named('Week', Described('The Monday of the week, in UTC', Day));

export const FiguresAnswer = Named(
  'WorkspaceFigures',
  Closed({
    weeks: Type.Array(Week, { description: 'Oldest first; the last is not over.' }),
    cards: Type.Array(
      Closed({
        week: Week,
        made: Type.Integer(),
        done: Type.Integer({ description: 'Done in that week, and done still' }),
      }),
    ),
    builds: Type.Array(
      Closed({
        week: Week,
        coder: Type.String(),
        builds: Type.Integer({ description: 'Asked for in that week' }),
        succeeded: Type.Integer(),
        tokens_in: Type.Integer(),
        tokens_out: Type.Integer(),
        cost_usd: Type.Number(),
      }),
      { description: 'Without coders that did nothing.' },
    ),
    memories: Type.Array(Closed({ week: Week, total: Type.Integer({ description: 'In use at its end' }) })),
    desks: Type.Array(
      Closed({
        workstation_id: Uuid,
        name: Type.String(),
        ready_share: Type.Number({ description: '0 to 1, of the time it was there' }),
        days: Type.Array(Closed({ day: Day, ready_minutes: Type.Integer() }), {
          description: 'The last 14 days, today included.',
        }),
      }),
      { description: 'By name; at most 200.' },
    ),
  }),
);
export type FiguresAnswer = Static<typeof FiguresAnswer>;
