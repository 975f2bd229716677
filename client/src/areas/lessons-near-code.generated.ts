// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions } from '../core/options.js';
import type { MergeImpact } from './shared.generated.js';

export interface AnchorLessons {
  counts: Record<string, number>;
  entries: Record<string, LessonEntry[]>;
}

export interface CodeChildren {
  path: string;
  /** Folders first, then by name; at most 2,000. */
  items: {
    node_id: string;
    kind: 'folder' | 'file' | 'symbol';
    path: string;
    name: string;
    /** Anchored on it or under it */
    lessons: number;
    /** Those among them whose code has changed or gone */
    stale_lessons: number;
  }[];
  total: number;
}

export interface CodeSurroundings {
  center: string;
  /** The center first, then by distance. */
  nodes: {
    node_id: string;
    kind: 'folder' | 'file' | 'symbol';
    /** Of a symbol: its file */
    path: string;
    symbol: string | null;
    hops: number;
    /** Anchored on it or under it */
    lessons: number;
    /** Those among them whose code has changed or gone */
    stale_lessons: number;
  }[];
  edges: {
    from: string;
    to: string;
    kind: 'import' | 'symbol_import' | 'call' | 'contains';
  }[];
  /** More was there than may be answered */
  truncated: boolean;
}

export interface FoundLesson {
  id: string;
  path: string;
  type: string;
  body: string;
  pinned: boolean;
  stale: boolean;
  stale_reason: string | null;
  anchors: string[];
  title: string;
  author: string | null;
  card: string | null;
  scope: string | null;
  status: 'live' | 'retired' | 'superseded';
  superseded_by: string | null;
  project_id: string;
  moves: LessonMove[];
  created_at: string;
  updated_at: string;
  matched_by: 'anchor' | 'symbol' | 'folder' | null;
}

export interface Lesson {
  id: string;
  path: string;
  type: string;
  body: string;
  pinned: boolean;
  stale: boolean;
  stale_reason: string | null;
  anchors: string[];
  title: string;
  author: string | null;
  card: string | null;
  scope: string | null;
  status: 'live' | 'retired' | 'superseded';
  superseded_by: string | null;
  project_id: string;
  moves: LessonMove[];
  created_at: string;
  updated_at: string;
}

export interface LessonDuplicate {
  id: string;
  path: string;
  similarity: number;
}

export interface LessonEntry {
  id: string;
  path: string;
  type: string;
  body: string;
  pinned: boolean;
  stale: boolean;
  stale_reason: string | null;
}

export interface LessonMove {
  from: string;
  to: string;
  commit: string;
}

export interface LessonPage {
  items: Lesson[];
  total: number;
  next_cursor: string | null;
}

export interface LessonSearch {
  query: {
    anchor: string | null;
    project_id: string | null;
    q: string | null;
    type: string | null;
    scope: string | null;
    limit: number;
    stale: boolean;
  };
  total: number;
  items: FoundLesson[];
  warnings: string[];
}

export interface LessonsNear {
  entries: {
    id: string;
    path: string;
    type: string;
    body: string;
    pinned: boolean;
    stale: boolean;
    stale_reason: string | null;
    hops: number;
    via_node_id: string;
    path_to: {
      node_id: string;
      path: string;
      edge: 'import' | 'symbol_import' | 'call' | 'contains' | null;
    }[];
  }[];
  reached_nodes: number;
  damped: {
    node_id: string;
    path: string;
    degree: number;
  }[];
  truncated: boolean;
  degraded: 'no_ready_index' | 'code_index_unavailable' | 'memory_unavailable' | null;
}

export interface SimilarLessons {
  matches: {
    id: string;
    path: string;
    similarity: number;
    type: string;
    pinned: boolean;
  }[];
  compared: number;
  without_embedding: number;
  degraded?: 'embedding_unavailable';
}

export interface SyncedLessons {
  written: {
    id: string;
    path: string;
    change: 'created' | 'updated' | 'unchanged';
    possible_duplicate_of?: LessonDuplicate[];
  }[];
  removed: string[];
  warnings: string[];
  duplicate_check?: 'truncated';
}

export interface LookupAnchorsArguments {
  /** The project that the nodes belong to. */
  project_id: string;
  /** Up to 1,000 node ids of list_code_nodes. */
  node_ids: string[];
  /** `subtree` (unless said) counts what lies under a node too, `exact` the node alone. */
  match?: 'subtree' | 'exact';
}

export interface ListLessonsArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
  /** Only lessons whose path begins so. */
  prefix?: string;
  /** Only lessons of this type. */
  type?: string;
  /** true: only stale lessons; false: only the others. */
  stale?: boolean;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface SearchLessonsArguments {
  /**
   * A file `src/billing.ts`, a folder `src/` or a symbol `src/billing.ts#Invoice.total`. May be left out with
   * stale=true only.
   */
  anchor?: string;
  /** Only lessons of this project; recommended. */
  project_id?: string;
  /** Only lessons with these words. */
  q?: string;
  /** Only lessons of this type, such as `gotcha`. */
  type?: string;
  /** Only lessons whose front matter has this scope. */
  scope?: string;
  /** At most so many; 20 unless said. */
  limit?: number;
  /** true: only lessons whose code has changed or gone. */
  stale?: boolean;
}

export interface FindLessonsNearArguments {
  /** The project whose code it is; it must have a repository. */
  project_id: string;
  /**
   * Where to start: `src/billing.ts`, `src/` or `src/billing.ts#Invoice.total`. With node_ids 1 to 50; one
   * that is no live code is skipped.
   */
  paths?: string[];
  /** Where to start, by node_id of list_code_nodes. */
  node_ids?: string[];
  /** How many steps to walk, 2 unless said; 0 looks at the start only. */
  depth?: number;
  /** Which links to follow; import and contains unless said. */
  kinds?: ('import' | 'call' | 'contains')[];
  /** `out`: what it uses; `in`: what uses it; both unless said. */
  direction?: 'out' | 'in' | 'both';
  /** A node with more links than this is not walked past; 25 unless said. */
  hub_cap?: number;
  /** At most so many lessons; 20 unless said. */
  limit?: number;
}

export interface FindSimilarLessonsArguments {
  /** The lesson you think of writing, title and body. */
  text: string;
  /** Compare only with lessons of this type. */
  type?: string | null;
  /** At most so many; 3 unless said. */
  k?: number;
  /** The least similarity (cosine) that counts; 0.9 unless said. */
  threshold?: number;
}

export interface SyncLessonsArguments {
  /** The project that the lessons belong to. */
  project_id: string;
  /** The lesson files, as they are in the repository. */
  files: {
    /** `lessons/<area>/<slug>.md`. */
    path: string;
    /** Markdown with front matter. */
    content: string;
  }[];
  /** true: these are all of them, so pushed lessons that are not here are removed. */
  complete?: boolean;
}

export interface GetCodeGraphArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
  /**
   * A folder `src/`, a file `src/billing.ts` or a symbol `src/billing.ts#Invoice.total`; `/`, the root,
   * unless said.
   */
  path?: string;
  /** How many steps to walk. */
  depth?: number;
  /** Which links to follow, comma-separated: import, call, contains; import and contains unless said. */
  kinds?: string;
  /** At most so many nodes. */
  limit?: number;
}

export interface GetLessonsImpactArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
  /** The branch, tag or commit to merge into, such as `main`. */
  base: string;
  /** The branch, tag or commit to merge. */
  head: string;
}

export interface ListCodeChildrenArguments {
  /** The project, as list_projects shows its project_id. */
  project_id: string;
  /**
   * A folder `src/`, a file `src/billing.ts` or a symbol `src/billing.ts#Invoice.total`; `/`, the root,
   * unless said.
   */
  path?: string;
}

export interface LessonsNearCodeMethods {
  /**
   * Count the lessons on up to 1,000 nodes and show the first of each.
   * For maps of a code base: counts for each node that has lessons, and up to five of them. Scopes:
   * `memory:read`.
   */
  lookupAnchors(fields: LookupAnchorsArguments, options?: CallOptions): Promise<AnchorLessons>;

  /**
   * List the lessons of a project, page by page.
   * All lessons of a project by path, with filters; `next_cursor` is sent back as `cursor` and is null at the
   * end. Scopes: `memory:read`.
   */
  listLessons(fields: ListLessonsArguments, options?: CallOptions): Promise<LessonPage>;

  /**
   * Find the lessons anchored at, in or around a place in the code.
   * Lessons about one place in the code: anchored to it, to a symbol in it or to a folder around it.
   * `stale=true` lists the lessons whose code has changed or gone. Scopes: `memory:read`.
   */
  searchLessons(fields?: SearchLessonsArguments, options?: CallOptions): Promise<LessonSearch>;

  /**
   * Walk the code graph outward and return the lessons on every node reached.
   * Lessons (rules, decisions, gotchas) on the files you are about to change and on the code that imports,
   * calls or contains them, nearest first. Ask it before you edit. Scopes: `memory:read`, `code:read`.
   */
  findLessonsNear(fields: FindLessonsNearArguments, options?: CallOptions): Promise<LessonsNear>;

  /**
   * Find lessons that say nearly the same.
   * Whether a lesson like yours exists already: ask it before you write a new one. Scopes: `memory:read`.
   */
  findSimilarLessons(fields: FindSimilarLessonsArguments, options?: CallOptions): Promise<SimilarLessons>;

  /**
   * Push lesson files of a project.
   * Markdown files with front matter (`type`, `anchors`, ...). Answers what was created, updated or removed,
   * and possible duplicates; a file that cannot be read is a warning. Scopes: `memory:write`.
   */
  syncLessons(fields: SyncLessonsArguments, options?: CallOptions): Promise<SyncedLessons>;

  /**
   * The surroundings of a place in the code, with how many lessons stand where.
   * Walks the code graph as find_lessons_near does, in both directions; a node with more than 25 links is
   * shown and not walked past. Scopes: `memory:read`, `code:read`.
   */
  getCodeGraph(fields: GetCodeGraphArguments, options?: CallOptions): Promise<CodeSurroundings>;

  /**
   * Tell which lessons a merge would make stale, move or touch.
   * Ask it before you merge: update the lessons under `stale`, and look at those under `touched`. Scopes:
   * `memory:read`, `code:read`.
   */
  getLessonsImpact(fields: GetLessonsImpactArguments, options?: CallOptions): Promise<MergeImpact>;

  /**
   * What a folder or file holds, with how many lessons stand under each.
   * For browsing code level by level: folders and files of a folder, symbols of a file. Scopes:
   * `memory:read`, `code:read`.
   */
  listCodeChildren(fields: ListCodeChildrenArguments, options?: CallOptions): Promise<CodeChildren>;
}

export interface LessonsNearCodeLists {
  listLessons: { fields: ListLessonsArguments; item: Lesson };
}

export const lessonsNearCode = {
  lookupAnchors: {
    method: 'POST',
    path: '/api/v1/memory/anchors:lookup',
    body: ['project_id', 'node_ids', 'match'],
    needsBody: true,
    reads: true,
  },
  listLessons: {
    method: 'GET',
    path: '/api/v1/memory/entries',
    query: ['project_id', 'prefix', 'type', 'stale', 'limit', 'cursor'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'items', key: 'id' },
  },
  searchLessons: {
    method: 'GET',
    path: '/api/v1/memory/entries/search',
    query: ['anchor', 'project_id', 'q', 'type', 'scope', 'limit', 'stale'],
  },
  findLessonsNear: {
    method: 'POST',
    path: '/api/v1/memory/entries:near',
    body: ['project_id', 'paths', 'node_ids', 'depth', 'kinds', 'direction', 'hub_cap', 'limit'],
    needsBody: true,
    reads: true,
  },
  findSimilarLessons: {
    method: 'POST',
    path: '/api/v1/memory/entries:similar',
    body: ['text', 'type', 'k', 'threshold'],
    needsBody: true,
    reads: true,
  },
  syncLessons: {
    method: 'POST',
    path: '/api/v1/memory/entries:sync',
    body: ['project_id', 'files', 'complete'],
    needsBody: true,
  },
  getCodeGraph: {
    method: 'GET',
    path: '/api/v1/projects/{project_id}/graph',
    query: ['path', 'depth', 'kinds', 'limit'],
  },
  getLessonsImpact: {
    method: 'POST',
    path: '/api/v1/projects/{project_id}/lessons:impact',
    body: ['base', 'head'],
    needsBody: true,
    reads: true,
  },
  listCodeChildren: { method: 'GET', path: '/api/v1/projects/{project_id}/tree', query: ['path'] },
} as const satisfies Record<string, Operation>;
