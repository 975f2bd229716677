import { call, segment } from './client.js';

export const KINDS = ['decision', 'learning', 'pattern', 'preference', 'fact'] as const;
export const IMPORTANCES = ['low', 'normal', 'high', 'critical'] as const;
export const SOURCE_TYPES = ['openclaw', 'agentboard', 'claude_code'] as const;

export interface MemoryHit {
  id: string;
  kind: string;
  title: string;
  body: string;
  description: string | null;
  confidence: number;
  tags: string[];
  importance?: string;
  stale?: boolean;
  stale_caveat?: string;
  /** Why it was found. */
  explain?: { match: number | null; score: number | null; terms: TermScore[] };
}

export interface TermScore {
  term: string;
  matched: string;
  in_title: boolean;
  score: number;
}

export interface SearchAnswer {
  memories: MemoryHit[];
  count: number;
  explain?: { tried: string; terms: { word: string }[]; left_out: unknown };
}

export interface Memory extends MemoryHit {
  agent_id: string;
  importance: string;
  status: 'active' | 'archived' | 'merged';
  created_at: string;
  updated_at: string;
  last_verified_at: string | null;
  source: { source_id: string | null; conversation_id: string | null; extractor: string } | null;
  merged_into: string | null;
  merged_from?: string[] | null;
}

export interface MemoryStats {
  total_active: number;
  total_archived: number;
  total_merged: number;
  by_kind: Record<string, number>;
  avg_confidence: number | null;
}

export interface Source {
  id: string;
  agent_id: string;
  source_type: string;
  config: Record<string, unknown>;
  enabled: boolean;
  last_picked_up_at?: string | null;
  error?: string | null;
}

export interface Conversation {
  id: string;
  agent_id: string;
  source_type: string;
  external_id: string;
  status: 'waiting' | 'processing' | 'done' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  error: string | null;
}

export type MemoryPatch = Partial<
  Pick<Memory, 'title' | 'body' | 'description' | 'kind' | 'tags' | 'confidence' | 'importance' | 'status'>
>;

export type MemoryInput = Omit<MemoryPatch, 'status'> & { agent_id: string };

const BASE = '/api/v1/memory';
const memoryPath = (id: string) => `${BASE}/memories/${segment(id)}`;

export const listAgents = (signal?: AbortSignal) =>
  call<{ agents: { agent_id: string; name: string }[]; total: number }>('GET', `${BASE}/agents`, { signal });

export interface SearchQuery {
  query: string;
  kinds: string;
  limit: number;
  /** Let the language model order what the text search found. */
  rerank: boolean;
}

export const searchMemories = (agentId: string, search: SearchQuery, signal?: AbortSignal) =>
  call<SearchAnswer>(
    'POST',
    `${BASE}/agents/${segment(agentId)}/context${search.rerank && search.query.trim() ? '/relevant' : ''}`,
    {
      query: { query: search.query, kinds: search.kinds, limit: search.limit, format: 'json', explain: true },
      signal,
    },
  );

export const readMemory = (id: string, signal?: AbortSignal) =>
  call<Memory>('GET', memoryPath(id), { signal });

export const createMemory = (body: MemoryInput) => call<Memory>('POST', `${BASE}/memories`, { body });

export const changeMemory = (id: string, body: MemoryPatch) =>
  call<Memory>('PATCH', memoryPath(id), { body });

export const deleteMemory = (id: string) => call<void>('DELETE', memoryPath(id));

export const readStats = (agentId: string | undefined, signal?: AbortSignal) =>
  call<MemoryStats>('GET', `${BASE}/memories/stats`, {
    query: { agent_id: agentId, format: 'json' },
    signal,
  });

export const listSources = (signal?: AbortSignal) =>
  call<{ sources: Source[]; total: number }>('GET', `${BASE}/sources`, { signal });

export const createSource = (body: {
  agent_id: string;
  source_type: string;
  config: Record<string, unknown>;
}) => call<Source>('POST', `${BASE}/sources`, { body });

export const changeSource = (id: string, body: { enabled: boolean }) =>
  call<Source>('PATCH', `${BASE}/sources/${segment(id)}`, { body });

export const deleteSource = (id: string) => call<void>('DELETE', `${BASE}/sources/${segment(id)}`);

export const listConversations = (agentId: string, status: string, signal?: AbortSignal) =>
  call<{ conversations: Conversation[]; total: number }>('GET', `${BASE}/conversations`, {
    query: { agent_id: agentId, status },
    signal,
  });
