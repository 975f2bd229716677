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
    /** Whose code has changed or gone */
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
    /** Whose code has changed or gone */
    stale_lessons: number;
  }[];
  edges: {
    from: string;
    to: string;
    kind: 'import' | 'symbol_import' | 'call' | 'contains';
  }[];
  /** There was more than is answered */
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
  /** Of the nodes. */
  project_id: string;
  /** Up to 1,000 node ids of list_code_nodes. */
  node_ids: string[];
  /** `subtree` (unless said): also what lies under a node. */
  match?: 'subtree' | 'exact';
}

export interface ListLessonsArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** Only paths that begin so. */
  prefix?: string;
  /** Only this type, such as `gotcha`. */
  type?: string;
  /** true: only stale ones; false: only others. */
  stale?: boolean;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface SearchLessonsArguments {
  /** A file `src/a.ts`, a folder `src/` or a symbol `src/a.ts#Invoice.total`. Left out with stale=true only. */
  anchor?: string;
  /** Only of this project; recommended. */
  project_id?: string;
  /** Only lessons with these words. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** Only this type, such as `gotcha`. */
  type?: string;
  /** Only with this scope in the front matter. */
  scope?: string;
  /** At most so many; 20 unless said. */
  limit?: number;
  /** true: only where code has changed or gone. */
  stale?: boolean;
}

export interface FindLessonsNearArguments {
  /** It must have a repository. */
  project_id: string;
  /**
   * Where to start: `src/a.ts`, `src/` or `src/a.ts#Invoice.total`. With node_ids 1 to 50; what is no live
   * code is skipped.
   */
  paths?: string[];
  /** Where to start, by node_id of list_code_nodes. */
  node_ids?: string[];
  /** How many steps, 2 unless said; 0: the start only. */
  depth?: number;
  /** Links to follow; import and contains unless said. */
  kinds?: ('import' | 'call' | 'contains')[];
  /** `out`: what it uses; `in`: what uses it; both unless said. */
  direction?: 'out' | 'in' | 'both';
  /** Nodes with more links are not walked past; 25 unless said. */
  hub_cap?: number;
  /** At most so many lessons; 20 unless said. */
  limit?: number;
}

export interface FindSimilarLessonsArguments {
  /** Your lesson, title and body. */
  text: string;
  /** Only lessons of this type. */
  type?: string | null;
  /** At most so many; 3 unless said. */
  k?: number;
  /** The least cosine that counts; 0.9 unless said. */
  threshold?: number;
}

export interface SyncLessonsArguments {
  /** Of the lessons. */
  project_id: string;
  /** The files, as the repository has them. */
  files: {
    /** `lessons/<area>/<slug>.md`. */
    path: string;
    /** Markdown with front matter. */
    content: string;
  }[];
  /** true: pushed lessons that are not here are removed. */
  complete?: boolean;
}

export interface GetCodeGraphArguments {
  /** The project, as list_projects shows it. */
  project_id: string;
  /** A folder `src/`, a file `src/a.ts` or a symbol `src/a.ts#Invoice.total`; `/` is the root. */
  path?: string;
  /** How many steps to walk. */
  depth?: number;
  /** Comma-separated: import, call, contains; import and contains unless said. */
  kinds?: string;
  /** At most so many nodes. */
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
   * Up to 1,000 nodes: counts for each that has lessons, and up to five of them. (`memory:read`)
   */
  lookupAnchors(fields: LookupAnchorsArguments, options?: CallOptions): Promise<AnchorLessons>;

  /**
   * List the lessons of a project.
   * By path. (`memory:read`)
   */
  listLessons(fields: ListLessonsArguments, options?: CallOptions): Promise<LessonPage>;

  /**
   * Find the lessons about a place in the code.
   * Anchored to it, to a symbol in it or to a folder around it. `stale=true`: those whose code has changed or
   * gone. (`memory:read`)
   */
  searchLessons(fields?: SearchLessonsArguments, options?: CallOptions): Promise<LessonSearch>;

  /**
   * Find the lessons on and around code.
   * Nearest first, also on code that imports, calls or contains what you are about to change. Ask it before
   * you edit. (`memory:read`, `code:read`)
   */
  findLessonsNear(fields: FindLessonsNearArguments, options?: CallOptions): Promise<LessonsNear>;

  /**
   * Find lessons that say nearly the same.
   * Ask it before you write one. (`memory:read`)
   */
  findSimilarLessons(fields: FindSimilarLessonsArguments, options?: CallOptions): Promise<SimilarLessons>;

  /**
   * Push lesson files of a project.
   * Markdown with front matter (`type`, `anchors`, ...). Answers what changed and possible duplicates; an
   * unreadable file is a warning. (`memory:write`)
   */
  syncLessons(fields: SyncLessonsArguments, options?: CallOptions): Promise<SyncedLessons>;

  /**
   * Walk the code around a place, with the lessons' counts.
   * As find_lessons_near does, in both directions. (`memory:read`, `code:read`)
   */
  getCodeGraph(fields: GetCodeGraphArguments, options?: CallOptions): Promise<CodeSurroundings>;

  /**
   * Tell which lessons a merge would touch.
   * Ask it before you merge: update what is `stale`, look at what is `touched`. (`memory:read`, `code:read`)
   */
  getLessonsImpact(fields: GetLessonsImpactArguments, options?: CallOptions): Promise<MergeImpact>;

  /**
   * What a folder or file holds, with the lessons' counts.
   * Folders and files of a folder, symbols of a file. (`memory:read`, `code:read`)
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
