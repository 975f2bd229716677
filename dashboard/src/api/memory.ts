import type {
  Conversation,
  CreateMemoryArguments,
  CreateSourceArguments,
  FoundMemories,
  MemorySource,
  UpdateMemoryArguments,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { Conversation, Memory, MemoryStats } from '../../../client/src/index.js';
export type MemoryHit = FoundMemories['memories'][number];
export type SearchAnswer = FoundMemories;
export type Source = MemorySource;
export type MemoryPatch = Omit<UpdateMemoryArguments, 'memory_id'>;
export type MemoryInput = CreateMemoryArguments;

export const KINDS = ['decision', 'learning', 'pattern', 'preference', 'fact'] as const;
export const IMPORTANCES = ['low', 'normal', 'high', 'critical'] as const;
export const SOURCE_TYPES = ['openclaw', 'agentboard', 'claude_code'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

export const listAgents = (signal?: AbortSignal) => guildhall.listAgents({}, { signal });

export interface SearchQuery {
  query: string;
  kinds: string;
  limit: number;
  /** Let the language model order what the text search found. */
  rerank: boolean;
}

export function searchMemories(
  agent_id: string,
  { query, kinds, limit, rerank }: SearchQuery,
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  const question = { agent_id, query, kinds: kinds || undefined, limit, explain: true };
  return rerank && query.trim()
    ? guildhall.recallMemories(question, { signal })
    : guildhall.searchMemories(question, { signal });
}

export const readMemory = (memory_id: string, signal?: AbortSignal) =>
  guildhall.getMemory({ memory_id }, { signal });

export const createMemory = (memory: MemoryInput) => guildhall.createMemory(memory);

export const changeMemory = (memory_id: string, patch: MemoryPatch) =>
  guildhall.updateMemory({ ...patch, memory_id });

export const deleteMemory = (memory_id: string) => guildhall.deleteMemory({ memory_id });

export const readStats = (agent_id: string | undefined, signal?: AbortSignal) =>
  guildhall.getMemoryStats({ agent_id: agent_id || undefined }, { signal });

export const listSources = (signal?: AbortSignal) => guildhall.listSources({}, { signal });

export const createSource = (source: CreateSourceArguments) => guildhall.createSource(source);

export const changeSource = (source_id: string, changes: { enabled: boolean }) =>
  guildhall.updateSource({ ...changes, source_id });

export const deleteSource = (source_id: string) => guildhall.deleteSource({ source_id });

export const listConversations = (
  agent_id: string,
  status: Conversation['status'] | '',
  signal?: AbortSignal,
) => guildhall.listConversations({ agent_id, status: status || undefined }, { signal });
