// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { Actor } from './shared.generated.js';

export interface AgentList {
  agents: {
    agent_id: string;
    name: string;
  }[];
  total: number;
}

export interface AgentOfRepository {
  /** It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
}

export interface Conversation {
  id: string;
  /** It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  source_id: string | null;
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex' | 'build';
  external_id: string;
  status: 'waiting' | 'processing' | 'done' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  error: string | null;
}

export interface ConversationList {
  conversations: Conversation[];
  total: number;
  next_cursor: string | null;
}

export interface CreatedMemory {
  id: string;
  /** It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  kind: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary';
  title: string;
  body: string;
  description: string | null;
  /** Decayed to this moment, four decimals */
  confidence: number;
  tags: string[];
  importance: 'low' | 'normal' | 'high' | 'critical';
  status: 'active' | 'archived' | 'merged';
  /** Not verified for more than 30 days */
  stale: boolean;
  stale_caveat: string | null;
  created_at: string;
  updated_at: string;
  last_verified_at: string;
  source: {
    source_id: string | null;
    conversation_id: string | null;
    extractor: 'model' | 'rule-based';
  } | null;
  merged_into: string | null;
  merged_from: string[];
  /** The memory that replaced it; shown where there is one. */
  superseded_by?: string;
  /** By a coder that was given words of a guest: shown here, never recalled. */
  from_guest?: true;
  /** Up to three active memories of the agent that say nearly the same or the opposite. */
  similar?: SimilarMemory[];
}

export interface FoundMemories {
  memories: {
    id: string;
    kind: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary';
    title: string;
    body: string;
    description: string | null;
    /** Decayed to this moment, four decimals */
    confidence: number;
    tags: string[];
    importance: 'low' | 'normal' | 'high' | 'critical';
    created_at: string;
    updated_at: string;
    last_verified_at: string;
    stale?: boolean;
    stale_caveat?: string;
    explain?: {
      /** 1 for the best match */
      match: number | null;
      score: number | null;
      words: {
        /** How much of what its words could give at most */
        value: number | null;
        weight: number;
      };
      meaning: {
        /** The cosine of question and memory; null: not asked for, or not known yet */
        value: number | null;
        weight: number;
      };
      names: {
        /** The share of the question's names in the title */
        value: number | null;
        weight: number;
      };
      terms: {
        term: string;
        matched: 'stem' | 'part' | 'prefix';
        in_title: boolean;
        score: number;
      }[];
    };
  }[];
  count: number;
  agent_id: string;
  explain?: {
    tried: 'top' | 'words' | 'prefixes' | 'typos' | 'substring' | 'meaning';
    terms: {
      word: string;
      stem: string | null;
      prefix: boolean;
      entity: boolean;
    }[];
    left_out: {
      archived: number;
      merged: number;
      low_confidence: number;
      other_kind: number;
    };
  };
}

export interface Memory {
  id: string;
  /** It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  kind: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary';
  title: string;
  body: string;
  description: string | null;
  /** Decayed to this moment, four decimals */
  confidence: number;
  tags: string[];
  importance: 'low' | 'normal' | 'high' | 'critical';
  status: 'active' | 'archived' | 'merged';
  /** Not verified for more than 30 days */
  stale: boolean;
  stale_caveat: string | null;
  created_at: string;
  updated_at: string;
  last_verified_at: string;
  source: {
    source_id: string | null;
    conversation_id: string | null;
    extractor: 'model' | 'rule-based';
  } | null;
  merged_into: string | null;
  merged_from: string[];
  /** The memory that replaced it; shown where there is one. */
  superseded_by?: string;
  /** By a coder that was given words of a guest: shown here, never recalled. */
  from_guest?: true;
}

export interface MemoryHealth {
  agent_id: string | null;
  /** Oldest first; the last is not over. */
  weeks: {
    /** Its Monday, in UTC */
    week: string;
    created: number;
    /** Archived in that week, and archived still */
    archived: number;
    /** In use at its end */
    total: number;
  }[];
  /** Active memories in ten bands. */
  confidence: {
    from: number;
    to: number;
    count: number;
  }[];
  /** Active memories. */
  by_kind: Record<string, number>;
  /** Active, and not verified for 30 days */
  stale: number;
  conversations: {
    waiting: number;
    processing: number;
    done: number;
    failed: number;
  };
  sources: {
    enabled: number;
    /** Enabled, and the last reading failed */
    failing: number;
  };
}

export interface MemoryHistory {
  entries: {
    id: string;
    at: string;
    action: 'created' | 'changed' | 'verified' | 'archived' | 'restored' | 'merged' | 'unmerged';
    /** Who did it; null: the service itself. */
    actor: Actor | null;
    /** By field; of texts the first 10,000 characters. */
    changes: Record<string, {
      from: unknown;
      to: unknown;
    }>;
  }[];
  total: number;
}

export interface MemoryPage {
  memories: Memory[];
  total: number;
  next_cursor: string | null;
}

export interface MemorySource {
  id: string;
  /** It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex';
  /** For session files: `path`, a folder of the workspace */
  config: Record<string, unknown>;
  enabled: boolean;
  last_picked_up_at: string | null;
  error: string | null;
  created_at: string;
  updated_at: string;
}

export interface MemorySourceList {
  sources: MemorySource[];
  total: number;
}

export interface MemoryStats {
  total_active: number;
  total_archived: number;
  total_merged: number;
  by_kind: Record<string, number>;
  avg_confidence: number | null;
}

export interface SimilarMemory {
  memory_id: string;
  title: string;
  /** 1 for the same text */
  similarity: number;
}

export interface UnmergedMemories {
  pattern: Memory;
  restored: Memory[];
}

export interface ResolveAgentArguments {
  /** The program there, such as `claude` or `codex`. */
  program: string;
  /** Its remote in any spelling; without one `file://<machine>/<path>` of its main worktree. */
  repository: string;
}

export interface SearchMemoriesArguments {
  /** Your own agent_id, or one that list_agents shows. */
  agent_id: string;
  /** Matched with title and body; blank: the top memories */
  query?: string;
  /** As a list or comma-separated; all when left out */
  kinds?: string | ('decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary')[];
  /** 10 when left out */
  limit?: number;
  /** Adds why each was returned, and what was left out */
  explain?: boolean;
  /** In which form to answer. */
  format?: 'yaml' | 'json' | 'md';
}

export interface RecallMemoriesArguments {
  /** Your own agent_id, or one that list_agents shows. */
  agent_id: string;
  /** Your question, in your own words; not blank */
  query?: string;
  /** As a list or comma-separated; all when left out */
  kinds?: string | ('decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary')[];
  /** 20 when left out */
  limit?: number;
  /** Adds why each was returned, and what was left out */
  explain?: boolean;
  /** In which form to answer. */
  format?: 'yaml' | 'json' | 'md';
}

export interface GetMemorySectionArguments {
  /** Your own agent_id, or one that list_agents shows. */
  agent_id: string;
}

export interface PushConversationArguments {
  /** The agent that is to learn from it. */
  agent_id: string;
  /** The program that it was held with. */
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex';
  /** Your id of the conversation. */
  external_id: string;
  /** All messages so far, oldest first. */
  messages: {
    /** Who speaks, such as `user` or `assistant`. */
    role: string;
    /** What is said. */
    content: string;
    /** When it was said. */
    at?: string | null;
  }[];
}

export interface ListConversationsArguments {
  /** Only conversations of this agent. */
  agent_id?: string;
  /** Only those that stand so. */
  status?: 'waiting' | 'processing' | 'done' | 'failed';
  /** At most so many. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface RetryConversationArguments {
  /** As list_conversations shows it. */
  conversation_id: string;
}

export interface ListMemoriesArguments {
  /** The agent, as list_agents shows it. */
  agent_id: string;
  /** Only those that stand so. */
  status?: 'active' | 'archived' | 'merged';
  /** Only those of this kind. */
  kind?: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary';
  /** true: only those not verified for 30 days; false: only others. */
  stale?: boolean;
  /** Only with this text in title, body, summary or tags, in any case. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface CreateMemoryArguments {
  /** true: the answer names near duplicates under `similar`. */
  similar?: boolean;
  /** Who is to remember it: your own agent_id. */
  agent_id: string;
  /** What it is. */
  kind: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact';
  /** One line that says it all. */
  title: string;
  /** The whole of it, with the why. */
  body: string;
  /** A summary of one line. */
  description?: string | null;
  /** Words that group it with others. */
  tags?: string[];
  /** How sure it is; it fades until verified. */
  confidence?: number;
  /** How much it matters in ranking. */
  importance?: 'low' | 'normal' | 'high' | 'critical';
  /** Memories of the agent, by id, that it replaces: they are archived. */
  supersedes?: string[];
}

export interface GetMemoryHealthArguments {
  /** Only this agent. */
  agent_id?: string;
  /** How many weeks back. */
  weeks?: number;
}

export interface GetMemoryStatsArguments {
  /** Only this agent. */
  agent_id?: string;
  /** The form of the answer, json unless said; the facts are the same. */
  format?: 'yaml' | 'json' | 'md';
}

export interface GetMemoryArguments {
  /** As search_memories shows it. */
  memory_id: string;
}

export interface UpdateMemoryArguments {
  /** As search_memories shows it. */
  memory_id: string;
  /** One line that says it all. */
  title?: string;
  /** The whole of it, with the why. */
  body?: string;
  /** A summary of one line; null clears it. */
  description?: string | null;
  /** What it is. */
  kind?: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact';
  /** All its tags from now on. */
  tags?: string[];
  /** How sure it is. */
  confidence?: number;
  /** How much it matters. */
  importance?: 'low' | 'normal' | 'high' | 'critical';
  /** `archived` takes it out of search, `active` brings it back. */
  status?: 'archived' | 'active';
  /** Memories of the agent, by id, that it replaces: they are archived. */
  supersedes?: string[];
}

export interface DeleteMemoryArguments {
  /** As search_memories shows it. */
  memory_id: string;
}

export interface ListMemoryHistoryArguments {
  /** As search_memories shows it. */
  memory_id: string;
}

export interface UnmergeMemoryArguments {
  /** As search_memories shows it. */
  memory_id: string;
}

export interface CreateSourceArguments {
  /** The agent that is to learn from it. */
  agent_id: string;
  /** `agentboard` reads finished cards, the others session files. */
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex';
  /** For session files: `path`, a folder of the workspace */
  config?: Record<string, unknown>;
  /** false: kept, but not read. */
  enabled?: boolean;
}

export interface ListSourcesArguments {
  /** Only this agent. */
  agent_id?: string;
}

export interface GetSourceArguments {
  /** As list_sources shows it. */
  source_id: string;
}

export interface UpdateSourceArguments {
  /** As list_sources shows it. */
  source_id: string;
  /** For session files: `path`, a folder of the workspace */
  config?: Record<string, unknown>;
  /** false: kept, but not read. */
  enabled?: boolean;
}

export interface DeleteSourceArguments {
  /** As list_sources shows it. */
  source_id: string;
}

export interface MemoryMethods {
  /**
   * List the workspace's agents.
   * Those that have memories. By its `agent_id` you read what another agent knows. (`memory:read`)
   */
  listAgents(fields?: NoArguments, options?: CallOptions): Promise<AgentList>;

  /**
   * Find the agent of a program in a repository.
   * Made on first use. All clones and worktrees of a repository share it. (`memory:write`)
   */
  resolveAgent(fields: ResolveAgentArguments, options?: CallOptions): Promise<AgentOfRepository>;

  /**
   * Search an agent's memories.
   * Active ones of confidence 0.3 or higher, best match first; without a query the most important.
   * (`memory:read`)
   */
  searchMemories(
    fields: SearchMemoriesArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  searchMemories(fields: SearchMemoriesArguments, options?: CallOptions): Promise<FoundMemories>;

  /**
   * Recall what matters for a question.
   * Like search_memories, but a language model orders up to 100 matches by your question. Ask it before you
   * begin a task. (`memory:read`)
   */
  recallMemories(
    fields: RecallMemoriesArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  recallMemories(fields: RecallMemoriesArguments, options?: CallOptions): Promise<FoundMemories>;

  /**
   * Read what an agent's MEMORY.md says.
   * The fifty memories of highest confidence, as the hourly export writes them. (`memory:read`)
   */
  getMemorySection(fields: GetMemorySectionArguments, options?: CallOptions): Promise<string>;

  /**
   * Push a conversation.
   * The same external_id, agent and source type is the same conversation: new messages are added (200).
   * (`memory:write`)
   */
  pushConversation(fields: PushConversationArguments, options?: CallOptions): Promise<Conversation>;

  /**
   * List conversations.
   * Newest first, with what was learned from each, or why not. (`memory:read`)
   */
  listConversations(fields?: ListConversationsArguments, options?: CallOptions): Promise<ConversationList>;

  /**
   * Try a conversation again now.
   * For one that failed or waits. It is due at once; its attempts are kept. (`memory:write`)
   */
  retryConversation(fields: RetryConversationArguments, options?: CallOptions): Promise<Conversation>;

  /**
   * List an agent's memories.
   * Also archived and merged ones, last changed first. An agent of another workspace has none.
   * (`memory:read`)
   */
  listMemories(fields: ListMemoriesArguments, options?: CallOptions): Promise<MemoryPage>;

  /**
   * Write a memory.
   * For later sessions, one thing each. `similar` in the answer names near duplicates: archive or correct one
   * with update_memory, or replace it with `supersedes`. An agent_id that nobody owns becomes the
   * workspace's. (`memory:write`)
   */
  createMemory(fields: CreateMemoryArguments, options?: CallOptions): Promise<CreatedMemory>;

  /**
   * How memories grow, and how sure they are.
   * Of one agent or all, with what waits to be learned from. (`memory:read`)
   */
  getMemoryHealth(fields?: GetMemoryHealthArguments, options?: CallOptions): Promise<MemoryHealth>;

  /**
   * Count memories.
   * by_kind and avg_confidence are of active ones. (`memory:read`)
   */
  getMemoryStats(
    fields: GetMemoryStatsArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  getMemoryStats(fields?: GetMemoryStatsArguments, options?: CallOptions): Promise<MemoryStats>;

  /**
   * Read a memory.
   * With its source, and what it was merged from or into. (`memory:read`)
   */
  getMemory(fields: GetMemoryArguments, options?: CallOptions): Promise<Memory>;

  /**
   * Correct, archive or verify a memory.
   * Only sent fields change. Every call, an empty one too, says it is still true and restores its full
   * confidence. (`memory:write`)
   */
  updateMemory(fields: UpdateMemoryArguments, options?: CallOptions): Promise<Memory>;

  /**
   * Delete a memory.
   * It leaves search now, MEMORY.md at the next export; a pattern made of it loses its part. (`memory:write`)
   */
  deleteMemory(fields: DeleteMemoryArguments, options?: CallOptions): Promise<void>;

  /**
   * What became of a memory, and who did it.
   * The last 200, newest first; `total` counts all. They go with the memory. (`memory:read`)
   */
  listMemoryHistory(fields: ListMemoryHistoryArguments, options?: CallOptions): Promise<MemoryHistory>;

  /**
   * Undo a consolidation.
   * The learnings come back and are never merged again; the pattern is archived. (`memory:write`)
   */
  unmergeMemory(fields: UnmergeMemoryArguments, options?: CallOptions): Promise<UnmergedMemories>;

  /**
   * Add a conversation source.
   * agentboard reads finished cards of the agent, the others session files under config.path, a folder in
   * SOURCES_DIR/<brand_id>. (`memory:write`)
   */
  createSource(fields: CreateSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * List conversation sources.
   * Where conversations come from, with the last error of each. (`memory:read`)
   */
  listSources(fields?: ListSourcesArguments, options?: CallOptions): Promise<MemorySourceList>;

  /**
   * Read a conversation source.
   * Its settings, last reading and last error. (`memory:read`)
   */
  getSource(fields: GetSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * Change a conversation source.
   * Only sent fields change. `enabled: false` pauses it. (`memory:write`)
   */
  updateSource(fields: UpdateSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * Remove a conversation source.
   * What was learned from it stays. (`memory:write`)
   */
  deleteSource(fields: DeleteSourceArguments, options?: CallOptions): Promise<void>;
}

export interface MemoryLists {
  listConversations: { fields: ListConversationsArguments; item: Conversation };
  listMemories: { fields: ListMemoriesArguments; item: Memory };
}

export const memory = {
  listAgents: { method: 'GET', path: '/api/v1/memory/agents' },
  resolveAgent: {
    method: 'POST',
    path: '/api/v1/memory/agents/resolve',
    body: ['program', 'repository'],
    needsBody: true,
  },
  searchMemories: {
    method: 'POST',
    path: '/api/v1/memory/agents/{agent_id}/context',
    query: ['query', 'kinds', 'limit', 'explain', 'format'],
    body: ['query', 'kinds', 'limit', 'explain', 'format'],
    forms: 'ask',
    reads: true,
  },
  recallMemories: {
    method: 'POST',
    path: '/api/v1/memory/agents/{agent_id}/context/relevant',
    query: ['query', 'kinds', 'limit', 'explain', 'format'],
    body: ['query', 'kinds', 'limit', 'explain', 'format'],
    forms: 'ask',
    reads: true,
  },
  getMemorySection: { method: 'GET', path: '/api/v1/memory/agents/{agent_id}/section', answer: 'text' },
  pushConversation: {
    method: 'POST',
    path: '/api/v1/memory/conversations',
    body: ['agent_id', 'source_type', 'external_id', 'messages'],
    needsBody: true,
    creates: true,
  },
  listConversations: {
    method: 'GET',
    path: '/api/v1/memory/conversations',
    query: ['agent_id', 'status', 'limit', 'cursor'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'conversations', key: 'id' },
  },
  retryConversation: { method: 'POST', path: '/api/v1/memory/conversations/{conversation_id}/retry' },
  listMemories: {
    method: 'GET',
    path: '/api/v1/memory/memories',
    query: ['agent_id', 'status', 'kind', 'stale', 'query', 'q', 'limit', 'cursor'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'memories', key: 'id' },
  },
  createMemory: {
    method: 'POST',
    path: '/api/v1/memory/memories',
    query: ['similar'],
    body: [
      'agent_id', 'kind', 'title', 'body', 'description', 'tags', 'confidence', 'importance', 'supersedes',
    ],
    needsBody: true,
    creates: true,
  },
  getMemoryHealth: { method: 'GET', path: '/api/v1/memory/memories/health', query: ['agent_id', 'weeks'] },
  getMemoryStats: {
    method: 'GET',
    path: '/api/v1/memory/memories/stats',
    query: ['agent_id', 'format'],
    forms: 'ask',
  },
  getMemory: { method: 'GET', path: '/api/v1/memory/memories/{memory_id}' },
  updateMemory: {
    method: 'PATCH',
    path: '/api/v1/memory/memories/{memory_id}',
    body: [
      'title', 'body', 'description', 'kind', 'tags', 'confidence', 'importance', 'status', 'supersedes',
    ],
  },
  deleteMemory: { method: 'DELETE', path: '/api/v1/memory/memories/{memory_id}', answer: 'nothing' },
  listMemoryHistory: { method: 'GET', path: '/api/v1/memory/memories/{memory_id}/history' },
  unmergeMemory: { method: 'POST', path: '/api/v1/memory/memories/{memory_id}/unmerge' },
  createSource: {
    method: 'POST',
    path: '/api/v1/memory/sources',
    body: ['agent_id', 'source_type', 'config', 'enabled'],
    needsBody: true,
    creates: true,
  },
  listSources: { method: 'GET', path: '/api/v1/memory/sources', query: ['agent_id'] },
  getSource: { method: 'GET', path: '/api/v1/memory/sources/{source_id}' },
  updateSource: { method: 'PATCH', path: '/api/v1/memory/sources/{source_id}', body: ['config', 'enabled'] },
  deleteSource: { method: 'DELETE', path: '/api/v1/memory/sources/{source_id}', answer: 'nothing' },
} as const satisfies Record<string, Operation>;
