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
  /** Current confidence after decay, four decimals */
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
  /** ID of the memory that replaced it, if any. */
  superseded_by?: string;
  /** Written by a build that was given words of a guest. It is never recalled. */
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
    /** Current confidence after decay, four decimals */
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
        /** Share of the highest possible word score */
        value: number | null;
        weight: number;
      };
      meaning: {
        /** Cosine similarity of question and memory; null if not compared */
        value: number | null;
        weight: number;
      };
      names: {
        /** Share of the question's names that are in the title */
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
  /** Current confidence after decay, four decimals */
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
  /** ID of the memory that replaced it, if any. */
  superseded_by?: string;
  /** Written by a build that was given words of a guest. It is never recalled. */
  from_guest?: true;
}

export interface MemoryHealth {
  agent_id: string | null;
  /** Oldest first, the current week last. */
  weeks: {
    /** Monday of the week, in UTC */
    week: string;
    created: number;
    /** Archived in that week and still archived */
    archived: number;
    /** Active memories at the end of the week */
    total: number;
  }[];
  /** Active memories in ten ranges of confidence. */
  confidence: {
    from: number;
    to: number;
    count: number;
  }[];
  /** Active memories by kind. */
  by_kind: Record<string, number>;
  /** Active memories not verified for 30 days */
  stale: number;
  conversations: {
    waiting: number;
    processing: number;
    done: number;
    failed: number;
  };
  sources: {
    enabled: number;
    /** Enabled sources whose last read failed */
    failing: number;
  };
}

export interface MemoryHistory {
  entries: {
    id: string;
    at: string;
    action: 'created' | 'changed' | 'verified' | 'archived' | 'restored' | 'merged' | 'unmerged';
    /** The person or agent that made the change. Null: the service. */
    actor: Actor | null;
    /** Old and new value by field; texts are cut to 10,000 characters. */
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
  /** Program name, such as `claude` or `codex`. */
  program: string;
  /** URL of its remote. Without a remote, `file://<machine>/<path>` of its main worktree. */
  repository: string;
}

export interface SearchMemoriesArguments {
  /** Your own agent_id, or one from list_agents. */
  agent_id: string;
  /** Text to match with title and body. Blank returns the top memories. */
  query?: string;
  /** As a list or comma-separated, default all */
  kinds?: string | ('decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary')[];
  /** Maximum number of memories, default 10 */
  limit?: number;
  /** Adds why each memory was returned and what was left out */
  explain?: boolean;
  /** Format of the answer, default yaml. */
  format?: 'yaml' | 'json' | 'md';
}

export interface RecallMemoriesArguments {
  /** Your own agent_id, or one from list_agents. */
  agent_id: string;
  /** Your question in your own words. Must not be blank. */
  query?: string;
  /** As a list or comma-separated, default all */
  kinds?: string | ('decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary')[];
  /** Maximum number of memories, default 20 */
  limit?: number;
  /** Adds why each memory was returned and what was left out */
  explain?: boolean;
  /** Format of the answer, default yaml. */
  format?: 'yaml' | 'json' | 'md';
}

export interface GetMemorySectionArguments {
  /** Your own agent_id, or one from list_agents. */
  agent_id: string;
}

export interface PushConversationArguments {
  /** The agent that learns from it. */
  agent_id: string;
  /** Program that the conversation was held with. */
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex';
  /** Your ID of the conversation. */
  external_id: string;
  /** All messages so far, oldest first. */
  messages: {
    /** Speaker, such as `user` or `assistant`. */
    role: string;
    /** Text of the message. */
    content: string;
    /** Time of the message. */
    at?: string | null;
  }[];
}

export interface ListConversationsArguments {
  /** Only conversations of this agent. */
  agent_id?: string;
  /** Only conversations with this status. */
  status?: 'waiting' | 'processing' | 'done' | 'failed';
  /** Conversations per page, default 100. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

export interface RetryConversationArguments {
  /** ID of the conversation, from list_conversations. */
  conversation_id: string;
}

export interface ListMemoriesArguments {
  /** Agent ID, from list_agents. */
  agent_id: string;
  /** Only memories with this status. */
  status?: 'active' | 'archived' | 'merged';
  /** Only memories of this kind. */
  kind?: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary';
  /** true returns only memories not verified for 30 days, false only the others. */
  stale?: boolean;
  /** Only memories with this text in title, body, description or tags. Case does not matter. */
  query?: string;
  /**
   * The former name of `query`.
   * @deprecated
   */
  q?: string;
  /** Memories per page, default 50. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

export interface CreateMemoryArguments {
  /** true lists near duplicates under `similar`. */
  similar?: boolean;
  /** The agent that remembers it: your own agent_id. */
  agent_id: string;
  /** Kind of memory. */
  kind: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact';
  /** One line that can be understood alone. */
  title: string;
  /** Full text, with the reason. */
  body: string;
  /** One-line summary. */
  description?: string | null;
  /** Words that group it with other memories. */
  tags?: string[];
  /** 0 to 1, default 0.8. Decays until the memory is verified. */
  confidence?: number;
  /** Importance in ranking, default normal. */
  importance?: 'low' | 'normal' | 'high' | 'critical';
  /** IDs of memories of the agent that this one replaces. They are archived. */
  supersedes?: string[];
}

export interface GetMemoryHealthArguments {
  /** Only this agent. Default: all agents. */
  agent_id?: string;
  /** Number of weeks, default 12. */
  weeks?: number;
}

export interface GetMemoryStatsArguments {
  /** Only this agent. Default: all agents. */
  agent_id?: string;
  /** The form of the answer, json unless said; the facts are the same. */
  format?: 'yaml' | 'json' | 'md';
}

export interface GetMemoryArguments {
  /** ID of the memory, from search_memories. */
  memory_id: string;
}

export interface UpdateMemoryArguments {
  /** ID of the memory, from search_memories. */
  memory_id: string;
  /** One line that can be understood alone. */
  title?: string;
  /** Full text, with the reason. */
  body?: string;
  /** One-line summary; null clears it. */
  description?: string | null;
  /** Kind of memory. */
  kind?: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact';
  /** Replaces all tags. */
  tags?: string[];
  /** 0 to 1. */
  confidence?: number;
  /** Importance in ranking. */
  importance?: 'low' | 'normal' | 'high' | 'critical';
  /** `archived` removes it from search, `active` restores it. */
  status?: 'archived' | 'active';
  /** IDs of memories of the agent that this one replaces. They are archived. */
  supersedes?: string[];
}

export interface DeleteMemoryArguments {
  /** ID of the memory, from search_memories. */
  memory_id: string;
}

export interface ListMemoryHistoryArguments {
  /** ID of the memory, from search_memories. */
  memory_id: string;
}

export interface UnmergeMemoryArguments {
  /** ID of the memory, from search_memories. */
  memory_id: string;
}

export interface CreateSourceArguments {
  /** The agent that learns from it. */
  agent_id: string;
  /** `agentboard` reads finished cards, the other types read session files. */
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex';
  /** For session files: `path`, a folder of the workspace */
  config?: Record<string, unknown>;
  /** false pauses the source. Default true. */
  enabled?: boolean;
}

export interface ListSourcesArguments {
  /** Only this agent. Default: all agents. */
  agent_id?: string;
}

export interface GetSourceArguments {
  /** ID of the source, from list_sources. */
  source_id: string;
}

export interface UpdateSourceArguments {
  /** ID of the source, from list_sources. */
  source_id: string;
  /** For session files: `path`, a folder of the workspace */
  config?: Record<string, unknown>;
  /** false pauses the source. */
  enabled?: boolean;
}

export interface DeleteSourceArguments {
  /** ID of the source, from list_sources. */
  source_id: string;
}

export interface MemoryMethods {
  /**
   * List the workspace's agents.
   * Use an `agent_id` to read the memories of another agent. (`memory:read`)
   */
  listAgents(fields?: NoArguments, options?: CallOptions): Promise<AgentList>;

  /**
   * Find the agent of a program in a repository.
   * Creates the agent on first use. All clones and worktrees of a repository share it. (`memory:write`)
   */
  resolveAgent(fields: ResolveAgentArguments, options?: CallOptions): Promise<AgentOfRepository>;

  /**
   * Search an agent's memories.
   * Returns active memories with confidence 0.3 or higher, best match first. Without a query, the most
   * important ones. (`memory:read`)
   */
  searchMemories(
    fields: SearchMemoriesArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  searchMemories(fields: SearchMemoriesArguments, options?: CallOptions): Promise<FoundMemories>;

  /**
   * Recall the memories that answer a question.
   * Like search_memories, but a language model orders up to 100 matches. Call it before you start a task.
   * (`memory:read`)
   */
  recallMemories(
    fields: RecallMemoriesArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  recallMemories(fields: RecallMemoriesArguments, options?: CallOptions): Promise<FoundMemories>;

  /**
   * Get the section of an agent's MEMORY.md.
   * Returns the 50 memories with the highest confidence, as the hourly export writes them. (`memory:read`)
   */
  getMemorySection(fields: GetMemorySectionArguments, options?: CallOptions): Promise<string>;

  /**
   * Push a conversation.
   * A known external_id of the same agent and source type continues that conversation: its new messages are
   * added (200). (`memory:write`)
   */
  pushConversation(fields: PushConversationArguments, options?: CallOptions): Promise<Conversation>;

  /**
   * List conversations.
   * Newest first, with the status and error of each. (`memory:read`)
   */
  listConversations(fields?: ListConversationsArguments, options?: CallOptions): Promise<ConversationList>;

  /**
   * Retry a conversation now.
   * Works for a conversation that failed or waits. Keeps its number of attempts. (`memory:write`)
   */
  retryConversation(fields: RetryConversationArguments, options?: CallOptions): Promise<Conversation>;

  /**
   * List an agent's memories.
   * Includes archived and merged memories, last changed first. (`memory:read`)
   */
  listMemories(fields: ListMemoriesArguments, options?: CallOptions): Promise<MemoryPage>;

  /**
   * Write a memory.
   * Write one thing per memory, for later sessions. `similar` in the answer lists near duplicates: correct or
   * archive one with update_memory, or replace it with `supersedes`. An unused agent_id becomes the
   * workspace's. (`memory:write`)
   */
  createMemory(fields: CreateMemoryArguments, options?: CallOptions): Promise<CreatedMemory>;

  /**
   * Get growth and confidence of memories.
   * Covers one agent or all agents, with the conversations that wait to be processed. (`memory:read`)
   */
  getMemoryHealth(fields?: GetMemoryHealthArguments, options?: CallOptions): Promise<MemoryHealth>;

  /**
   * Count memories.
   * by_kind and avg_confidence cover active memories. (`memory:read`)
   */
  getMemoryStats(
    fields: GetMemoryStatsArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  getMemoryStats(fields?: GetMemoryStatsArguments, options?: CallOptions): Promise<MemoryStats>;

  /**
   * Read a memory.
   * Includes its source and the memories it was merged from or into. (`memory:read`)
   */
  getMemory(fields: GetMemoryArguments, options?: CallOptions): Promise<Memory>;

  /**
   * Correct, archive or verify a memory.
   * Changes only the fields you send. Every call, even an empty one, verifies the memory and restores its
   * full confidence. (`memory:write`)
   */
  updateMemory(fields: UpdateMemoryArguments, options?: CallOptions): Promise<Memory>;

  /**
   * Delete a memory.
   * Removes it from search at once, from MEMORY.md at the next export, and from patterns made of it.
   * (`memory:write`)
   */
  deleteMemory(fields: DeleteMemoryArguments, options?: CallOptions): Promise<void>;

  /**
   * List the changes of a memory.
   * Returns the last 200 changes, newest first. `total` counts all. Deleting the memory deletes them.
   * (`memory:read`)
   */
  listMemoryHistory(fields: ListMemoryHistoryArguments, options?: CallOptions): Promise<MemoryHistory>;

  /**
   * Undo a consolidation.
   * Restores the learnings, which are never merged again, and archives the pattern. (`memory:write`)
   */
  unmergeMemory(fields: UnmergeMemoryArguments, options?: CallOptions): Promise<UnmergedMemories>;

  /**
   * Add a conversation source.
   * `agentboard` reads the finished cards of the agent. The other types read session files under config.path,
   * a folder in SOURCES_DIR/<brand_id>. (`memory:write`)
   */
  createSource(fields: CreateSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * List conversation sources.
   * Includes the last error of each source. (`memory:read`)
   */
  listSources(fields?: ListSourcesArguments, options?: CallOptions): Promise<MemorySourceList>;

  /**
   * Read a conversation source.
   * Returns its settings, when it was last read, and the last error. (`memory:read`)
   */
  getSource(fields: GetSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * Change a conversation source.
   * Changes only the fields you send. `enabled: false` pauses the source. (`memory:write`)
   */
  updateSource(fields: UpdateSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * Remove a conversation source.
   * Memories learned from it stay. (`memory:write`)
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
