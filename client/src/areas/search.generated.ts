// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions } from '../core/options.js';

export interface SearchAnswer {
  groups: {
    kind: SearchKind;
    hits: SearchHit[];
    /** Whether more than `limit` hits exist. */
    more: boolean;
  }[];
  /** Requested kinds that you may see. */
  searched: SearchKind[];
  /** Kinds left out because they took too long. */
  late: SearchKind[];
}

export interface SearchHit {
  kind: SearchKind;
  id: string;
  title: string;
  /** Field that the snippet comes from, such as `title`, `instructions`, `comment` or `body`. */
  field: string;
  snippet: string;
  /** Positions of the words in the snippet, in UTF-16 code units. */
  marks: {
    from: number;
    to: number;
  }[];
  ref?: string;
  status?: string;
  /** Author of the comment. */
  by?: string;
  comment_id?: string;
  board_id?: string;
  task_id?: string;
  agent_id?: string;
  project_id?: string;
  path?: string;
  /** Name of its board or project, or the id of its agent. */
  within?: string;
}

export type SearchKind = 'card' | 'board' | 'person' | 'agent' | 'memory' | 'lesson' | 'build' | 'project';

export interface SearchEverythingArguments {
  /** Words (the last one may be a prefix), or a card's ref or number. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** Only these kinds, comma-separated. Default: all. */
  kinds?: string;
  /** Maximum number of hits of each kind. */
  limit?: number;
}

export interface SearchMethods {
  /**
   * Search the workspace.
   * Finds cards, boards, people, agents, memories, lessons, builds and projects that you can open, grouped by
   * kind.
   */
  searchEverything(fields?: SearchEverythingArguments, options?: CallOptions): Promise<SearchAnswer>;
}

export const search = {
  searchEverything: { method: 'GET', path: '/api/v1/search', query: ['query', 'q', 'kinds', 'limit'] },
} as const satisfies Record<string, Operation>;
