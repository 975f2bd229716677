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
    project_id: Described('Project ID. The project must have a repository.', Uuid),
    paths: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Start points: `src/a.ts`, `src/` or `src/a.ts#Invoice.total`. 1 to 50 together with node_ids. Paths without live code are skipped.',
      }),
    ),
    node_ids: Type.Optional(
      Type.Array(Uuid, { description: 'Start points as node IDs from list_code_nodes.' }),
    ),
    depth: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 3,
        description: 'Number of steps, default 2. 0 returns the start points only.',
      }),
    ),
    kinds: Type.Optional(
      Type.Array(OneOf(['import', 'call', 'contains']), {
        description: 'Links to follow, default import and contains.',
      }),
    ),
    direction: Type.Optional(
      OneOf(['out', 'in', 'both'], {
        description: '`out` follows what the code uses, `in` what uses the code. Default both.',
      }),
    ),
    hub_cap: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 200,
        description: 'Nodes with more links than this are not followed. Default 25.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Maximum number of lessons, default 20.' }),
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
        'A file `src/a.ts`, a folder `src/` or a symbol `src/a.ts#Invoice.total`. Optional with stale=true.',
    }),
  ),
  project_id: Type.Optional(Described('Only lessons of this project. Recommended.', Uuid)),
  query: Type.Optional(searchText('Only lessons that contain all of these words.')),
  type: Type.Optional(Type.String({ description: 'Only lessons of this type, such as `gotcha`.' })),
  scope: Type.Optional(Type.String({ description: 'Only lessons with this scope in their front matter.' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: 'Maximum number of lessons, default 20.' }),
  ),
  stale: Type.Optional(Type.Boolean({ description: 'true returns only lessons whose code was removed.' })),
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
  prefix: Type.Optional(Type.String({ description: 'Only lessons whose path starts with this text.' })),
  type: Type.Optional(Type.String({ description: 'Only lessons of this type, such as `gotcha`.' })),
  stale: Type.Optional(
    Type.Boolean({ description: 'true returns only stale lessons, false only lessons that are not stale.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: 'Lessons per page, default 50.' }),
  ),
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
    project_id: Described('The project of the nodes.', Uuid),
    node_ids: Type.Array(Uuid, { maxItems: 1000, description: 'Up to 1,000 node IDs from list_code_nodes.' }),
    match: Type.Optional(
      OneOf(['subtree', 'exact'], {
        description: '`subtree` includes the code under a node, `exact` only the node. Default `subtree`.',
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
    text: Type.String({ minLength: 1, description: 'Title and body of your lesson.' }),
    type: Type.Optional(Nullable(Type.String(), { description: 'Only lessons of this type.' })),
    k: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, description: 'Maximum number of matches, default 3.' }),
    ),
    threshold: Type.Optional(
      Type.Number({
        minimum: -1,
        maximum: 1,
        description: 'Lowest cosine similarity that counts, default 0.9.',
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
    project_id: Described('The project of the lessons.', Uuid),
    files: Type.Array(
      Closed({
        path: Type.String({ description: '`lessons/<area>/<slug>.md`.' }),
        content: Type.String({ description: 'Markdown with front matter.' }),
      }),
      { maxItems: 5000, description: 'Lesson files as they would be in the repository.' },
    ),
    complete: Type.Optional(
      Type.Boolean({
        description: 'true removes pushed lessons that are not in `files`.',
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

const KINDS = ['folder', 'file', 'symbol'] as const;

const Path = Type.String({
  description: 'A folder `src/`, a file `src/a.ts` or a symbol `src/a.ts#Invoice.total`; `/` is the root.',
  default: '/',
  maxLength: 4000,
});

const LessonCounts = {
  lessons: Type.Integer({ description: 'Lessons anchored on or under this node' }),
  stale_lessons: Type.Integer({ description: 'Of these, lessons whose code was removed' }),
};

export const GraphQuery = Type.Object({
  path: Path,
  depth: Type.Integer({ minimum: 1, maximum: 3, default: 2, description: 'Number of steps, default 2.' }),
  kinds: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Comma-separated: import, call, contains. Default import and contains.',
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 400,
    default: 150,
    description: 'Maximum number of nodes, default 150.',
  }),
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
        path: Type.String({ description: 'Path of the folder or file; for a symbol, the path of its file' }),
        symbol: Nullable(Type.String()),
        hops: Type.Integer(),
        ...LessonCounts,
      }),
      { description: 'Center node first, then by distance.' },
    ),
    edges: Type.Array(
      Closed({
        from: Uuid,
        to: Uuid,
        kind: OneOf(['import', 'symbol_import', 'call', 'contains']),
      }),
    ),
    truncated: Type.Boolean({ description: 'true when nodes were left out' }),
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
      { description: 'Folders first, then by name. At most 2,000.' },
    ),
    total: Type.Integer(),
  }),
);
export type TreeAnswer = Static<typeof TreeAnswer>;
