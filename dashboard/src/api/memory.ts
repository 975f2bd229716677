import type {
  Conversation,
  CreateMemoryArguments,
  CreateSourceArguments,
  FoundMemories,
  ListMemoriesArguments,
  MemoryHistory,
  MemorySource,
  UpdateMemoryArguments,
} from '../../../client/src/index.js';
import { guildhall } from './client.js';
import { listWords } from './words.js';

export type {
  Conversation,
  CreatedMemory,
  Memory,
  MemoryHealth,
  MemoryStats,
} from '../../../client/src/index.js';
export type MemoryHit = FoundMemories['memories'][number];
export type SearchAnswer = FoundMemories;
export type HistoryEntry = MemoryHistory['entries'][number];
export type Source = MemorySource;
export type MemoryPatch = Omit<UpdateMemoryArguments, 'memory_id'>;
export type MemoryInput = CreateMemoryArguments;
export type MemoryFilter = Omit<ListMemoriesArguments, 'agent_id' | 'cursor' | 'limit'>;
export type MemoryStatus = NonNullable<ListMemoriesArguments['status']>;
export type MemoryKind = NonNullable<ListMemoriesArguments['kind']>;

export const KINDS = listWords<Exclude<MemoryKind, 'summary'>>({
  decision: true,
  learning: true,
  pattern: true,
  preference: true,
  fact: true,
});
export const ALL_KINDS: readonly MemoryKind[] = [...KINDS, 'summary'];
export const IMPORTANCES = listWords<MemoryInput['importance'] & string>({
  low: true,
  normal: true,
  high: true,
  critical: true,
});
export const SOURCE_TYPES = ['openclaw', 'agentboard', 'claude_code', 'codex'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

const PAGE = 50;
/** The maximum number of search results; the full list is paginated. */
export const MOST_FOUND = 50;

export const listAgents = (signal?: AbortSignal) => guildhall.listAgents({}, { signal });

export const listMemories = (
  agent_id: string,
  filter: MemoryFilter,
  cursor: string | undefined,
  signal?: AbortSignal,
) => guildhall.listMemories({ ...filter, agent_id, cursor, limit: PAGE }, { signal });

export interface SearchQuery {
  query: string;
  kinds: string;
  /** Rerank the text search results with the language model. */
  recall: boolean;
}

export function searchMemories(
  agent_id: string,
  { query, kinds, recall }: SearchQuery,
  signal?: AbortSignal,
): Promise<SearchAnswer> {
  const question = { agent_id, query, kinds: kinds || undefined, limit: MOST_FOUND, explain: true };
  return recall
    ? guildhall.recallMemories(question, { signal })
    : guildhall.searchMemories(question, { signal });
}

export const readMemory = (memory_id: string, signal?: AbortSignal) =>
  guildhall.getMemory({ memory_id }, { signal });

export const listHistory = (memory_id: string, signal?: AbortSignal) =>
  guildhall.listMemoryHistory({ memory_id }, { signal });

/** The response includes similar memories of the agent. */
export const createMemory = (memory: MemoryInput) => guildhall.createMemory({ ...memory, similar: true });

export const changeMemory = (memory_id: string, patch: MemoryPatch) =>
  guildhall.updateMemory({ ...patch, memory_id });

export const deleteMemory = (memory_id: string) => guildhall.deleteMemory({ memory_id });

export const unmergeMemory = (memory_id: string) => guildhall.unmergeMemory({ memory_id });

export const readStats = (agent_id: string | undefined, signal?: AbortSignal) =>
  guildhall.getMemoryStats({ agent_id: agent_id || undefined }, { signal });

export const readHealth = (agent_id: string | undefined, signal?: AbortSignal) =>
  guildhall.getMemoryHealth({ agent_id: agent_id || undefined }, { signal });

export const readSection = (agent_id: string, signal?: AbortSignal) =>
  guildhall.getMemorySection({ agent_id }, { signal });

export const listSources = (agent_id: string | undefined, signal?: AbortSignal) =>
  guildhall.listSources({ agent_id }, { signal });

export const createSource = (source: CreateSourceArguments) => guildhall.createSource(source);

export const changeSource = (source_id: string, changes: { enabled: boolean }) =>
  guildhall.updateSource({ ...changes, source_id });

export const deleteSource = (source_id: string) => guildhall.deleteSource({ source_id });

export const listConversations = (
  agent_id: string,
  status: Conversation['status'] | '',
  cursor: string | undefined,
  signal?: AbortSignal,
) => guildhall.listConversations({ agent_id, status: status || undefined, cursor, limit: PAGE }, { signal });

export const retryConversation = (conversation_id: string) =>
  guildhall.retryConversation({ conversation_id });
