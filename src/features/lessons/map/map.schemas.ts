import { type Static, Type } from 'typebox';
import { Closed, Named, Nullable, OneOf, Uuid } from '../../../platform/http/declaration/schemas.js';

const KINDS = ['folder', 'file', 'symbol'] as const;

const Path = Type.String({
  description: 'A folder `src/`, a file `src/a.ts` or a symbol `src/a.ts#Invoice.total`; `/` is the root.',
  default: '/',
  maxLength: 4000,
});

const LessonCounts = {
  lessons: Type.Integer({ description: 'Anchored on it or under it' }),
  stale_lessons: Type.Integer({ description: 'Whose code has changed or gone' }),
};

export const GraphQuery = Type.Object({
  path: Path,
  depth: Type.Integer({ minimum: 1, maximum: 3, default: 2, description: 'How many steps to walk.' }),
  kinds: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Comma-separated: import, call, contains; import and contains unless said.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 400, default: 150, description: 'At most so many nodes.' }),
});
export type GraphQuery = Static<typeof GraphQuery>;

export const GraphAnswer = Named(
  'CodeSurroundings',
  Closed({
    center: Uuid,
    nodes: Type.Array(
      Closed({
        node_id: Uuid,
        kind: OneOf(KINDS),
        path: Type.String({ description: 'Of a symbol: its file' }),
        symbol: Nullable(Type.String()),
        hops: Type.Integer(),
        ...LessonCounts,
      }),
      { description: 'The center first, then by distance.' },
    ),
    edges: Type.Array(
      Closed({
        from: Uuid,
        to: Uuid,
        kind: OneOf(['import', 'symbol_import', 'call', 'contains']),
      }),
    ),
    truncated: Type.Boolean({ description: 'There was more than is answered' }),
  }),
);
export type GraphAnswer = Static<typeof GraphAnswer>;

export const TreeQuery = Type.Object({ path: Path });

export const TreeAnswer = Named(
  'CodeChildren',
  Closed({
    path: Type.String(),
    items: Type.Array(
      Closed({
        node_id: Uuid,
        kind: OneOf(KINDS),
        path: Type.String(),
        name: Type.String(),
        ...LessonCounts,
      }),
      { description: 'Folders first, then by name; at most 2,000.' },
    ),
    total: Type.Integer(),
  }),
);
export type TreeAnswer = Static<typeof TreeAnswer>;
