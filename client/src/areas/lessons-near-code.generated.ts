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
  /** Folders first, then by name. At most 2,000. */
  items: {
    node_id: string;
    kind: 'folder' | 'file' | 'symbol';
    path: string;
    name: string;
    /** Lessons anchored on or under this node */
    lessons: number;
    /** Of these, lessons whose code was removed */
    stale_lessons: number;
  }[];
  total: number;
}

export interface CodeSurroundings {
  center: string;
  /** Center node first, then by distance. */
  nodes: {
    node_id: string;
    kind: 'folder' | 'file' | 'symbol';
    /** Path of the folder or file; for a symbol, the path of its file */
    path: string;
    symbol: string | null;
    hops: number;
    /** Lessons anchored on or under this node */
    lessons: number;
    /** Of these, lessons whose code was removed */
    stale_lessons: number;
  }[];
  edges: {
    from: string;
    to: string;
    kind: 'import' | 'symbol_import' | 'call' | 'contains';
  }[];
  /** true when nodes were left out */
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
  /** The project of the nodes. */
  project_id: string;
  /** Up to 1,000 node IDs from list_code_nodes. */
  node_ids: string[];
  /** `subtree` includes the code under a node, `exact` only the node. Default `subtree`. */
  match?: 'subtree' | 'exact';
}

export interface ListLessonsArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** Only lessons whose path starts with this text. */
  prefix?: string;
  /** Only lessons of this type, such as `gotcha`. */
  type?: string;
  /** true returns only stale lessons, false only lessons that are not stale. */
  stale?: boolean;
  /** Lessons per page, default 50. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface SearchLessonsArguments {
  /** A file `src/a.ts`, a folder `src/` or a symbol `src/a.ts#Invoice.total`. Optional with stale=true. */
  anchor?: string;
  /** Only lessons of this project. Recommended. */
  project_id?: string;
  /** Only lessons that contain all of these words. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** Only lessons of this type, such as `gotcha`. */
  type?: string;
  /** Only lessons with this scope in their front matter. */
  scope?: string;
  /** Maximum number of lessons, default 20. */
  limit?: number;
  /** true returns only lessons whose code was removed. */
  stale?: boolean;
}

export interface FindLessonsNearArguments {
  /** Project ID. The project must have a repository. */
  project_id: string;
  /**
   * Start points: `src/a.ts`, `src/` or `src/a.ts#Invoice.total`. 1 to 50 together with node_ids. Paths
   * without live code are skipped.
   */
  paths?: string[];
  /** Start points as node IDs from list_code_nodes. */
  node_ids?: string[];
  /** Number of steps, default 2. 0 returns the start points only. */
  depth?: number;
  /** Links to follow, default import and contains. */
  kinds?: ('import' | 'call' | 'contains')[];
  /** `out` follows what the code uses, `in` what uses the code. Default both. */
  direction?: 'out' | 'in' | 'both';
  /** Nodes with more links than this are not followed. Default 25. */
  hub_cap?: number;
  /** Maximum number of lessons, default 20. */
  limit?: number;
}

export interface FindSimilarLessonsArguments {
  /** Title and body of your lesson. */
  text: string;
  /** Only lessons of this type. */
  type?: string | null;
  /** Maximum number of matches, default 3. */
  k?: number;
  /** Lowest cosine similarity that counts, default 0.9. */
  threshold?: number;
}

export interface SyncLessonsArguments {
  /** The project of the lessons. */
  project_id: string;
  /** Lesson files as they would be in the repository. */
  files: {
    /** `lessons/<area>/<slug>.md`. */
    path: string;
    /** Markdown with front matter. */
    content: string;
  }[];
  /** true removes pushed lessons that are not in `files`. */
  complete?: boolean;
}

export interface GetCodeGraphArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** A folder `src/`, a file `src/a.ts` or a symbol `src/a.ts#Invoice.total`; `/` is the root. */
  path?: string;
  /** Number of steps, default 2. */
  depth?: number;
  /** Comma-separated: import, call, contains. Default import and contains. */
  kinds?: string;
  /** Maximum number of nodes, default 150. */
  limit?: number;
}

export interface GetLessonsImpactArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** The branch, tag or commit to merge into. */
  base: string;
  /** The branch, tag or commit to merge. */
  head: string;
}

export interface ListCodeChildrenArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** A folder `src/`, a file `src/a.ts` or a symbol `src/a.ts#Invoice.total`; `/` is the root. */
  path?: string;
}

export interface LessonsNearCodeMethods {
  /**
   * Count the lessons on code nodes.
   * Returns the number of lessons and up to five lessons for each node that has any. (`memory:read`)
   */
  lookupAnchors(fields: LookupAnchorsArguments, options?: CallOptions): Promise<AnchorLessons>;

  /**
   * List the lessons of a project.
   * Ordered by path. (`memory:read`)
   */
  listLessons(fields: ListLessonsArguments, options?: CallOptions): Promise<LessonPage>;

  /**
   * Search the lessons about a place in the code.
   * Finds lessons anchored to the place, to a symbol in it or to a folder around it. `stale=true` finds
   * lessons whose code was removed. (`memory:read`)
   */
  searchLessons(fields?: SearchLessonsArguments, options?: CallOptions): Promise<LessonSearch>;

  /**
   * Find the lessons on and around code.
   * Nearest first, including lessons on code that imports, calls or contains the start points. Call it before
   * you edit code. (`memory:read`, `code:read`)
   */
  findLessonsNear(fields: FindLessonsNearArguments, options?: CallOptions): Promise<LessonsNear>;

  /**
   * Find lessons with nearly the same meaning.
   * Call it before you write a lesson. (`memory:read`)
   */
  findSimilarLessons(fields: FindSimilarLessonsArguments, options?: CallOptions): Promise<SimilarLessons>;

  /**
   * Push lesson files of a project.
   * Files are Markdown with front matter (`type`, `anchors`, ...). Returns the changes and possible
   * duplicates. A file that cannot be read is a warning. (`memory:write`)
   */
  syncLessons(fields: SyncLessonsArguments, options?: CallOptions): Promise<SyncedLessons>;

  /**
   * Get the code around a place with lesson counts.
   * Follows links in both directions, like find_lessons_near. (`memory:read`, `code:read`)
   */
  getCodeGraph(fields: GetCodeGraphArguments, options?: CallOptions): Promise<CodeSurroundings>;

  /**
   * Get the lessons that a merge affects.
   * Call it before you merge. Update the lessons under `stale`, and check the ones under `touched`.
   * (`memory:read`, `code:read`)
   */
  getLessonsImpact(fields: GetLessonsImpactArguments, options?: CallOptions): Promise<MergeImpact>;

  /**
   * List the contents of a folder or file with lesson counts.
   * Returns the folders and files in a folder, or the symbols in a file. (`memory:read`, `code:read`)
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
    query: ['anchor', 'project_id', 'query', 'q', 'type', 'scope', 'limit', 'stale'],
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
