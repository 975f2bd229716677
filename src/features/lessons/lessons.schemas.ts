import { type Static, Type } from 'typebox';
import {
  Closed,
  Described,
  Named,
  Nullable,
  OneOf,
  searchText,
  Timestamp,
  Uuid,
} from '../../platform/http/declaration/schemas.js';

const stale = { stale: Type.Boolean(), stale_reason: Nullable(Type.String()) };

const LessonEntry = {
  id: Type.String(),
  path: Type.String(),
  type: Type.String(),
  body: Type.String(),
  pinned: Type.Boolean(),
  ...stale,
};

export const EntryView = Named('LessonEntry', Closed(LessonEntry));
export type EntryView = Static<typeof EntryView>;

export const NearQuestion = Named(
  'LessonsNearQuestion',
  Closed({
    project_id: Described('It must have a repository.', Uuid),
    paths: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Where to start: `src/a.ts`, `src/` or `src/a.ts#Invoice.total`. With node_ids 1 to 50; what is no live code is skipped.',
      }),
    ),
    node_ids: Type.Optional(
      Type.Array(Uuid, { description: 'Where to start, by node_id of list_code_nodes.' }),
    ),
    depth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        description: 'How many steps, 2 unless said; 0: the start only.',
      }),
    ),
    kinds: Type.Optional(
      Type.Array(OneOf(['import', 'call', 'contains']), {
        description: 'Links to follow; import and contains unless said.',
      }),
    ),
    direction: Type.Optional(
      OneOf(['out', 'in', 'both'], {
        description: '`out`: what it uses; `in`: what uses it; both unless said.',
      }),
    ),
    hub_cap: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        description: 'Nodes with more links are not walked past; 25 unless said.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'At most so many lessons; 20 unless said.' }),
    ),
  }),
);
export type NearQuestion = Static<typeof NearQuestion>;

export const NearAnswer = Named(
  'LessonsNear',
  Closed({
    entries: Type.Array(
      Closed({
        ...LessonEntry,
        hops: Type.Integer(),
        via_node_id: Uuid,
        path_to: Type.Array(
          Closed({
            node_id: Uuid,
            path: Type.String(),
            edge: Nullable(OneOf(['import', 'symbol_import', 'call', 'contains'])),
          }),
        ),
      }),
    ),
    reached_nodes: Type.Integer(),
    damped: Type.Array(Closed({ node_id: Uuid, path: Type.String(), degree: Type.Integer() })),
    truncated: Type.Boolean(),
    degraded: Nullable(OneOf(['no_ready_index', 'code_index_unavailable', 'memory_unavailable'])),
  }),
);
export type NearAnswer = Static<typeof NearAnswer>;

export const SearchQuery = Type.Object({
  anchor: Type.Optional(
    Type.String({
      description:
        'A file `src/a.ts`, a folder `src/` or a symbol `src/a.ts#Invoice.total`. Left out with stale=true only.',
    }),
  ),
  project_id: Type.Optional(Described('Only of this project; recommended.', Uuid)),
  query: Type.Optional(searchText('Only lessons with these words.')),
  type: Type.Optional(Type.String({ description: 'Only this type, such as `gotcha`.' })),
  scope: Type.Optional(Type.String({ description: 'Only with this scope in the front matter.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'At most so many; 20 unless said.' }),
  ),
  stale: Type.Optional(Type.Boolean({ description: 'true: only where code has changed or gone.' })),
});
export type SearchQuery = Static<typeof SearchQuery>;

const LessonFields = {
  ...LessonEntry,
  anchors: Type.Array(Type.String()),
  title: Type.String(),
  author: Nullable(Type.String()),
  card: Nullable(Type.String()),
  scope: Nullable(Type.String()),
  status: OneOf(['live', 'retired', 'superseded']),
  superseded_by: Nullable(Type.String()),
  project_id: Uuid,
  moves: Type.Array(
    Named('LessonMove', Closed({ from: Type.String(), to: Type.String(), commit: Type.String() })),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const FullLesson = Named('Lesson', Closed(LessonFields));
export type FullLesson = Static<typeof FullLesson>;

const FoundLesson = Named(
  'FoundLesson',
  Closed({
    ...LessonFields,
    matched_by: Nullable(OneOf(['anchor', 'symbol', 'folder'])),
  }),
);
export type FoundLesson = Static<typeof FoundLesson>;

export const SearchAnswer = Named(
  'LessonSearch',
  Closed({
    query: Closed({
      anchor: Nullable(Type.String()),
      project_id: Nullable(Uuid),
      q: Nullable(Type.String()),
      type: Nullable(Type.String()),
      scope: Nullable(Type.String()),
      limit: Type.Integer(),
      stale: Type.Boolean(),
    }),
    total: Type.Integer(),
    items: Type.Array(FoundLesson),
    warnings: Type.Array(Type.String()),
  }),
);
export type SearchAnswer = Static<typeof SearchAnswer>;

export const ListQuery = Type.Object({
  project_id: Described('The project, as list_projects shows it.', Uuid),
  prefix: Type.Optional(Type.String({ description: 'Only paths that begin so.' })),
  type: Type.Optional(Type.String({ description: 'Only this type, such as `gotcha`.' })),
  stale: Type.Optional(Type.Boolean({ description: 'true: only stale ones; false: only others.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'How many on a page.' })),
  cursor: Type.Optional(Type.String({ description: '`next_cursor` of the page before.' })),
});
export type ListQuery = Static<typeof ListQuery>;

export const ListAnswer = Named(
  'LessonPage',
  Closed({
    items: Type.Array(FullLesson),
    total: Type.Integer(),
    next_cursor: Nullable(Type.String()),
  }),
);
export type ListAnswer = Static<typeof ListAnswer>;

export const LookupQuestion = Named(
  'AnchorQuestion',
  Closed({
    project_id: Described('Of the nodes.', Uuid),
    node_ids: Type.Array(Uuid, { maxItems: 1000, description: 'Up to 1,000 node ids of list_code_nodes.' }),
    match: Type.Optional(
      OneOf(['subtree', 'exact'], {
        description: '`subtree` (unless said): also what lies under a node.',
      }),
    ),
  }),
);
export type LookupQuestion = Static<typeof LookupQuestion>;

export const LookupAnswer = Named(
  'AnchorLessons',
  Closed({
    counts: Type.Record(Type.String(), Type.Integer()),
    entries: Type.Record(Type.String(), Type.Array(EntryView)),
  }),
);
export type LookupAnswer = Static<typeof LookupAnswer>;

export const SimilarQuestion = Named(
  'SimilarLessonsQuestion',
  Closed({
    text: Type.String({ minLength: 1, description: 'Your lesson, title and body.' }),
    type: Type.Optional(Nullable(Type.String(), { description: 'Only lessons of this type.' })),
    k: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'At most so many; 3 unless said.' }),
    ),
    threshold: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 1,
        description: 'The least cosine that counts; 0.9 unless said.',
      }),
    ),
  }),
);
export type SimilarQuestion = Static<typeof SimilarQuestion>;

export const SimilarAnswer = Named(
  'SimilarLessons',
  Closed({
    matches: Type.Array(
      Closed({
        id: Type.String(),
        path: Type.String(),
        similarity: Type.Number(),
        type: Type.String(),
        pinned: Type.Boolean(),
      }),
    ),
    compared: Type.Integer(),
    without_embedding: Type.Integer(),
    degraded: Type.Optional(OneOf(['embedding_unavailable'])),
  }),
);
export type SimilarAnswer = Static<typeof SimilarAnswer>;

export const SyncRequest = Named(
  'LessonFiles',
  Closed({
    project_id: Described('Of the lessons.', Uuid),
    files: Type.Array(
      Closed({
        path: Type.String({ description: '`lessons/<area>/<slug>.md`.' }),
        content: Type.String({ description: 'Markdown with front matter.' }),
      }),
      { maxItems: 5000, description: 'The files, as the repository has them.' },
    ),
    complete: Type.Optional(
      Type.Boolean({
        description: 'true: pushed lessons that are not here are removed.',
      }),
    ),
  }),
);
export type SyncRequest = Static<typeof SyncRequest>;

export const DuplicateView = Named(
  'LessonDuplicate',
  Closed({ id: Type.String(), path: Type.String(), similarity: Type.Number() }),
);
export type DuplicateView = Static<typeof DuplicateView>;

export const SyncAnswer = Named(
  'SyncedLessons',
  Closed({
    written: Type.Array(
      Closed({
        id: Type.String(),
        path: Type.String(),
        change: OneOf(['created', 'updated', 'unchanged']),
        possible_duplicate_of: Type.Optional(Type.Array(DuplicateView)),
      }),
    ),
    removed: Type.Array(Type.String()),
    warnings: Type.Array(Type.String()),
    duplicate_check: Type.Optional(OneOf(['truncated'])),
  }),
);
export type SyncAnswer = Static<typeof SyncAnswer>;

export const ImpactQuestion = Named(
  'MergeQuestion',
  Closed({
    base: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The branch, tag or commit to merge into.',
    }),
    head: Type.String({ minLength: 1, maxLength: 200, description: 'The branch, tag or commit to merge.' }),
  }),
);

const AffectedLesson = {
  id: Type.String(),
  path: Type.String(),
  type: Type.String(),
  pinned: Type.Boolean(),
};

const NamedLesson = Named(
  'LessonAtAnchors',
  Closed({ ...AffectedLesson, anchors: Type.Array(Type.String()) }),
);

export const ImpactAnswer = Named(
  'MergeImpact',
  Closed({
    base: Type.String(),
    head: Type.String(),
    stale: Type.Array(NamedLesson),
    moved: Type.Array(
      Closed({ ...AffectedLesson, moves: Type.Array(Closed({ from: Type.String(), to: Type.String() })) }),
    ),
    touched: Type.Array(NamedLesson),
  }),
);
export type ImpactAnswer = Static<typeof ImpactAnswer>;
