// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions } from '../core/options.js';

export interface SearchAnswer {
  groups: {
    kind: SearchKind;
    hits: SearchHit[];
    /** There are more than `limit`. */
    more: boolean;
  }[];
  /** Those asked for that you may see. */
  searched: SearchKind[];
  /** Left out because they took too long. */
  late: SearchKind[];
}

export interface SearchHit {
  kind: SearchKind;
  id: string;
  title: string;
  /** Such as title, instructions, comment, body. */
  field: string;
  snippet: string;
  /** Of the words, in UTF-16 code units. */
  marks: {
    from: number;
    to: number;
  }[];
  ref?: string;
  status?: string;
  /** Who wrote the comment. */
  by?: string;
  comment_id?: string;
  board_id?: string;
  task_id?: string;
  agent_id?: string;
  project_id?: string;
  path?: string;
  /** Its board, project or agent. */
  within?: string;
}

export type SearchKind = 'card' | 'board' | 'person' | 'agent' | 'memory' | 'lesson' | 'build' | 'project';

export interface SearchEverythingArguments {
  /** Words, the last perhaps unfinished; or a card's ref or number. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** Only these, comma-separated. */
  kinds?: string;
  /** At most so many of each kind. */
  limit?: number;
}

export interface SearchMethods {
  /**
   * Search everything you may see.
   * Cards, boards, people, agents, memories, lessons, builds and projects.
   */
  searchEverything(fields?: SearchEverythingArguments, options?: CallOptions): Promise<SearchAnswer>;
}

export const search = {
  searchEverything: { method: 'GET', path: '/api/v1/search', query: ['query', 'q', 'kinds', 'limit'] },
} as const satisfies Record<string, Operation>;
