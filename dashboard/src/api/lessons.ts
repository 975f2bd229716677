import { call, segment } from './client.js';

export interface Project {
  project_id: string;
  name: string;
  repository?: { url: string; branch?: string | null } | null;
  created_at?: string;
}

export interface IndexState {
  status: 'queued' | 'running' | 'ready' | 'failed';
  commit: string | null;
  files: number;
  nodes: number;
  edges: number;
  lessons: number;
  warnings: unknown[];
  started_at: string | null;
  finished_at: string | null;
  error: string | null;
}

export interface Lesson {
  id: string;
  path: string;
  type: string;
  body: string;
  pinned: boolean;
  stale: boolean;
  stale_reason: string | null;
  title?: string | null;
  anchors?: string[];
  author?: string | null;
  card?: string | null;
  scope?: string | null;
  matched_by?: 'anchor' | 'symbol' | 'folder' | null;
  updated_at?: string;
}

export interface NearLesson extends Lesson {
  hops: number;
  via_node_id: string;
  path_to: { node_id: string; path: string; edge: string | null }[];
}

export interface NearAnswer {
  entries: NearLesson[];
  reached_nodes: number;
  damped: { node_id: string; path: string; degree: number }[];
  truncated: boolean;
  degraded: string | null;
}

export interface SearchAnswer {
  total: number;
  items: Lesson[];
  warnings: unknown[];
}

export interface CodeNode {
  node_id: string;
  kind: 'folder' | 'file' | 'symbol';
  path: string;
}

const PROJECTS = '/api/v1/projects';
const projectPath = (id: string) => `${PROJECTS}/${segment(id)}`;
const ENTRIES = '/api/v1/memory/entries';

export const listProjects = (signal?: AbortSignal) =>
  call<{ projects: Project[]; total: number }>('GET', PROJECTS, { signal });

export const readProject = (id: string, signal?: AbortSignal) =>
  call<Project>('GET', projectPath(id), { signal });

export const createProject = (body: { name: string; repository?: { url: string; branch?: string } }) =>
  call<Project>('POST', PROJECTS, { body });

export const readIndex = (id: string, signal?: AbortSignal) =>
  call<IndexState>('GET', `${projectPath(id)}/index`, { signal });

export const startIndex = (id: string) =>
  call<{ index_id: string; status: string }>('POST', `${projectPath(id)}/index`);

export const listNodes = (id: string, prefix: string, signal?: AbortSignal) =>
  call<{ items: CodeNode[]; total: number }>('GET', `${projectPath(id)}/nodes`, {
    query: { prefix, limit: 12 },
    signal,
  });

export const searchLessons = (
  query: { project_id: string; anchor?: string; q?: string; stale?: boolean; limit?: number },
  signal?: AbortSignal,
) => call<SearchAnswer>('GET', `${ENTRIES}/search`, { query, signal });

export interface NearQuery {
  project_id: string;
  paths: string[];
  depth: number;
  direction: string;
  kinds: string[];
}

export const findNear = (body: NearQuery, signal?: AbortSignal) =>
  call<NearAnswer>('POST', `${ENTRIES}:near`, { body, signal });
