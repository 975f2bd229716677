import { type Static, Type } from 'typebox';
import { Closed, Nullable, OneOf, Timestamp, Uuid } from '../../http/schemas.js';

const stale = { stale: Type.Boolean(), stale_reason: Nullable(Type.String()) };

const LessonEntry = {
  id: Type.String(),
  path: Type.String(),
  type: Type.String(),
  body: Type.String(),
  pinned: Type.Boolean(),
  ...stale,
};

export const EntryView = Closed(LessonEntry);
export type EntryView = Static<typeof EntryView>;

export const NearQuestion = Closed({
  project_id: Uuid,
  paths: Type.Optional(Type.Array(Type.String())),
  node_ids: Type.Optional(Type.Array(Uuid)),
  depth: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
  kinds: Type.Optional(Type.Array(OneOf(['import', 'call', 'contains']))),
  direction: Type.Optional(OneOf(['out', 'in', 'both'])),
  hub_cap: Type.Optional(Type.Integer({ minimum: 1, maximum: 200 })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
});
export type NearQuestion = Static<typeof NearQuestion>;

export const NearAnswer = Closed({
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
});
export type NearAnswer = Static<typeof NearAnswer>;

export const SearchQuery = Type.Object({
  anchor: Type.Optional(Type.String()),
  project_id: Type.Optional(Uuid),
  q: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  scope: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
  stale: Type.Optional(Type.Boolean()),
});
export type SearchQuery = Static<typeof SearchQuery>;

export const FullLesson = Closed({
  ...LessonEntry,
  anchors: Type.Array(Type.String()),
  title: Type.String(),
  author: Nullable(Type.String()),
  card: Nullable(Type.String()),
  scope: Nullable(Type.String()),
  status: OneOf(['live', 'retired', 'superseded']),
  superseded_by: Nullable(Type.String()),
  project_id: Uuid,
  moves: Type.Array(Closed({ from: Type.String(), to: Type.String(), commit: Type.String() })),
  created_at: Timestamp,
  updated_at: Timestamp,
  matched_by: Nullable(OneOf(['anchor', 'symbol', 'folder'])),
});
export type FullLesson = Static<typeof FullLesson>;

export const SearchAnswer = Closed({
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
  items: Type.Array(FullLesson),
  warnings: Type.Array(Type.String()),
});
export type SearchAnswer = Static<typeof SearchAnswer>;

export const LookupQuestion = Closed({
  project_id: Uuid,
  node_ids: Type.Array(Uuid, { maxItems: 1000 }),
  match: Type.Optional(OneOf(['subtree', 'exact'])),
});
export type LookupQuestion = Static<typeof LookupQuestion>;

export const LookupAnswer = Closed({
  counts: Type.Record(Type.String(), Type.Integer()),
  entries: Type.Record(Type.String(), Type.Array(EntryView)),
});
export type LookupAnswer = Static<typeof LookupAnswer>;

export const SimilarQuestion = Closed({
  text: Type.String({ minLength: 1 }),
  type: Type.Optional(Nullable(Type.String())),
  k: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  threshold: Type.Optional(Type.Number({ minimum: -1, maximum: 1 })),
});
export type SimilarQuestion = Static<typeof SimilarQuestion>;

export const SimilarAnswer = Closed({
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
});
export type SimilarAnswer = Static<typeof SimilarAnswer>;

export const SyncRequest = Closed({
  project_id: Uuid,
  files: Type.Array(Closed({ path: Type.String(), content: Type.String() }), { maxItems: 5000 }),
  complete: Type.Optional(Type.Boolean()),
});
export type SyncRequest = Static<typeof SyncRequest>;

export const DuplicateView = Closed({ id: Type.String(), path: Type.String(), similarity: Type.Number() });
export type DuplicateView = Static<typeof DuplicateView>;

export const SyncAnswer = Closed({
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
});
export type SyncAnswer = Static<typeof SyncAnswer>;

export const ImpactQuestion = Closed({
  base: Type.String({ minLength: 1, maxLength: 200 }),
  head: Type.String({ minLength: 1, maxLength: 200 }),
});

const AffectedLesson = {
  id: Type.String(),
  path: Type.String(),
  type: Type.String(),
  pinned: Type.Boolean(),
};

export const ImpactAnswer = Closed({
  base: Type.String(),
  head: Type.String(),
  stale: Type.Array(Closed({ ...AffectedLesson, anchors: Type.Array(Type.String()) })),
  moved: Type.Array(
    Closed({ ...AffectedLesson, moves: Type.Array(Closed({ from: Type.String(), to: Type.String() })) }),
  ),
  touched: Type.Array(Closed({ ...AffectedLesson, anchors: Type.Array(Type.String()) })),
});
export type ImpactAnswer = Static<typeof ImpactAnswer>;
