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
  /** The agent's workspace id It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
}

export interface Conversation {
  id: string;
  /** The agent's workspace id It must have 1 to 255 letters, digits, _ or -. */
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
        /** The cosine of question and memory; null where it was not asked for or is not known yet */
        value: number | null;
        weight: number;
      };
      names: {
        /** Which share of the names in the question stands in the title */
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
  /** The agent's workspace id It must have 1 to 255 letters, digits, _ or -. */
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
  /** Remembered by a coder that was given words of a guest: it is shown here and never recalled. */
  from_guest?: true;
}

export interface MemoryHealth {
  agent_id: string | null;
  /** Oldest first; the last one is not over yet. */
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
    /** The person who did it; null when the service did so by itself. */
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
  /** The agent's workspace id It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex';
  /** claude_code, codex and openclaw: `path`, a folder of the workspace */
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

export interface UnmergedMemories {
  pattern: Memory;
  restored: Memory[];
}

export interface ResolveAgentArguments {
  /** The program that works there, such as `claude` or `codex`. */
  program: string;
  /**
   * The address of its remote in any spelling; without a remote `file://<machine>/<path>` of its main
   * worktree.
   */
  repository: string;
}

export interface SearchMemoriesArguments {
  /** The agent whose memory it is: your own agent_id, or one that list_agents shows. */
  agent_id: string;
  /** Matched against title and body; blank lists the top memories */
  query?: string;
  /** Only memories of these kinds, as a list or comma-separated; all when left out */
  kinds?: string | ('decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary')[];
  /** 10 when left out */
  limit?: number;
  /** Adds why each memory was returned, and what was left out */
  explain?: boolean;
  /** In which form to answer. */
  format?: 'yaml' | 'json' | 'md';
}

export interface RecallMemoriesArguments {
  /** The agent whose memory it is: your own agent_id, or one that list_agents shows. */
  agent_id: string;
  /** Your question, in your own words; required, and not blank */
  query?: string;
  /** Only memories of these kinds, as a list or comma-separated; all when left out */
  kinds?: string | ('decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary')[];
  /** 20 when left out */
  limit?: number;
  /** Adds why each memory was returned, and what was left out */
  explain?: boolean;
  /** In which form to answer. */
  format?: 'yaml' | 'json' | 'md';
}

export interface GetMemorySectionArguments {
  /** The agent whose memory it is: your own agent_id, or one that list_agents shows. */
  agent_id: string;
}

export interface PushConversationArguments {
  /** The agent that is to learn from it. It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  /** The program that it was held with. */
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex';
  /** Your id of the conversation: the same one again adds its new messages. */
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
  /** The conversation, as list_conversations shows its id. */
  conversation_id: string;
}

export interface ListMemoriesArguments {
  /** The agent whose memories they are, as list_agents shows it. */
  agent_id: string;
  /** Only those that stand so. */
  status?: 'active' | 'archived' | 'merged';
  /** Only those of this kind. */
  kind?: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact' | 'summary';
  /** true: only those not verified for 30 days; false: only the others. */
  stale?: boolean;
  /** Only those with this text in title, body, summary or tags, in whatever case. */
  q?: string;
  /** How many on a page. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export interface CreateMemoryArguments {
  /** The agent that is to remember it: your own agent_id. It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  /** What it is: a decision, something learned, a pattern, a preference or a fact. */
  kind: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact';
  /** One line that says it all. It must not be blank. */
  title: string;
  /** The whole of it, with the why. It must not be blank. */
  body: string;
  /** A summary of one line. */
  description?: string | null;
  /** Words that group it with others. */
  tags?: string[];
  /** How sure it is, 0 to 1; it fades until somebody verifies it. */
  confidence?: number;
  /** How much it matters when memories are ranked. */
  importance?: 'low' | 'normal' | 'high' | 'critical';
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
  /** In which form to answer, json unless said; all of them hold the same facts. */
  format?: 'yaml' | 'json' | 'md';
}

export interface GetMemoryArguments {
  /** The memory, as search_memories shows its id. */
  memory_id: string;
}

export interface UpdateMemoryArguments {
  /** The memory, as search_memories shows its id. */
  memory_id: string;
  /** One line that says it all. It must not be blank. */
  title?: string;
  /** The whole of it, with the why. It must not be blank. */
  body?: string;
  /** A summary of one line; null clears it. */
  description?: string | null;
  /** What it is. */
  kind?: 'decision' | 'learning' | 'pattern' | 'preference' | 'fact';
  /** All its tags from now on. */
  tags?: string[];
  /** How sure it is, 0 to 1. */
  confidence?: number;
  /** How much it matters. */
  importance?: 'low' | 'normal' | 'high' | 'critical';
  /** `archived` takes it out of search, `active` brings it back. */
  status?: 'archived' | 'active';
}

export interface DeleteMemoryArguments {
  /** The memory, as search_memories shows its id. */
  memory_id: string;
}

export interface ListMemoryHistoryArguments {
  /** The memory, as list_memories shows its id. */
  memory_id: string;
}

export interface UnmergeMemoryArguments {
  /** The memory, as search_memories shows its id. */
  memory_id: string;
}

export interface CreateSourceArguments {
  /** The agent that is to learn from it. It must have 1 to 255 letters, digits, _ or -. */
  agent_id: string;
  /**
   * Whose conversations: `claude_code`, `codex` and `openclaw` read session files, `agentboard` finished
   * cards.
   */
  source_type: 'openclaw' | 'agentboard' | 'claude_code' | 'codex';
  /** claude_code, codex and openclaw: `path`, a folder of the workspace */
  config?: Record<string, unknown>;
  /** false: kept, but not read. */
  enabled?: boolean;
}

export interface ListSourcesArguments {
  /** Only this agent. */
  agent_id?: string;
}

export interface GetSourceArguments {
  /** The source, as list_sources shows its id. */
  source_id: string;
}

export interface UpdateSourceArguments {
  /** The source, as list_sources shows its id. */
  source_id: string;
  /** claude_code, codex and openclaw: `path`, a folder of the workspace */
  config?: Record<string, unknown>;
  /** false: kept, but not read. */
  enabled?: boolean;
}

export interface DeleteSourceArguments {
  /** The source, as list_sources shows its id. */
  source_id: string;
}

export interface MemoryMethods {
  /**
   * List the workspace's agents.
   * Agents that have memories here. Use an `agent_id` of here to read what another agent knows. Scopes:
   * `memory:read`.
   */
  listAgents(fields?: NoArguments, options?: CallOptions): Promise<AgentList>;

  /**
   * Find the agent of a program in a repository.
   * Which agent a program is in a repository, made on first use: all clones and worktrees of one repository
   * share it, and two repositories of one folder name have one each. Scopes: `memory:write`.
   */
  resolveAgent(fields: ResolveAgentArguments, options?: CallOptions): Promise<AgentOfRepository>;

  /**
   * Search an agent's memories.
   * What an agent knows about some words: active memories of confidence 0.3 or higher, best match first;
   * without a query the most important ones. Scopes: `memory:read`.
   */
  searchMemories(
    fields: SearchMemoriesArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  searchMemories(fields: SearchMemoriesArguments, options?: CallOptions): Promise<FoundMemories>;

  /**
   * Recall the memories that matter for a question.
   * Like search_memories, but a language model puts up to 100 matches in the order in which they matter for
   * your question. Ask it before you begin a task. Scopes: `memory:read`.
   */
  recallMemories(
    fields: RecallMemoriesArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  recallMemories(fields: RecallMemoriesArguments, options?: CallOptions): Promise<FoundMemories>;

  /**
   * Read what an agent's MEMORY.md says.
   * The fifty memories with the highest confidence as the Markdown section that the hourly export writes, as
   * of now. An agent of another workspace has none. Scopes: `memory:read`.
   */
  getMemorySection(fields: GetMemorySectionArguments, options?: CallOptions): Promise<string>;

  /**
   * Push a conversation.
   * The same external_id of that agent and source type is the same conversation: a longer one adds its new
   * messages (200). Scopes: `memory:write`.
   */
  pushConversation(fields: PushConversationArguments, options?: CallOptions): Promise<Conversation>;

  /**
   * List conversations.
   * Newest first, with what became of each: whether memories were learned from it, or why not. Scopes:
   * `memory:read`.
   */
  listConversations(fields?: ListConversationsArguments, options?: CallOptions): Promise<ConversationList>;

  /**
   * Try a conversation again now.
   * For one that failed or waits for its next attempt. It becomes due at once; its attempts are kept. Scopes:
   * `memory:write`.
   */
  retryConversation(fields: RetryConversationArguments, options?: CallOptions): Promise<Conversation>;

  /**
   * List an agent's memories, page by page.
   * All of them, also archived and merged ones, last changed first. To find what matters for some words use
   * search_memories. An agent of another workspace has none. Scopes: `memory:read`.
   */
  listMemories(fields: ListMemoriesArguments, options?: CallOptions): Promise<MemoryPage>;

  /**
   * Write a memory.
   * Remember something for later sessions: one decision, learning, pattern, preference or fact. Always a new
   * one: correct an old one with update_memory. An agent_id that nobody owns becomes the workspace's. Scopes:
   * `memory:write`.
   */
  createMemory(fields: CreateMemoryArguments, options?: CallOptions): Promise<Memory>;

  /**
   * How memories grow, and how sure they are.
   * Figures for charts, of one agent or of the whole workspace: growth by week, confidence, kinds, and what
   * waits to be learned from. Scopes: `memory:read`.
   */
  getMemoryHealth(fields?: GetMemoryHealthArguments, options?: CallOptions): Promise<MemoryHealth>;

  /**
   * Count memories.
   * by_kind and avg_confidence are those of active memories. Scopes: `memory:read`.
   */
  getMemoryStats(
    fields: GetMemoryStatsArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  getMemoryStats(fields?: GetMemoryStatsArguments, options?: CallOptions): Promise<MemoryStats>;

  /**
   * Read a memory.
   * The whole memory with its source and what it was merged from or into. Scopes: `memory:read`.
   */
  getMemory(fields: GetMemoryArguments, options?: CallOptions): Promise<Memory>;

  /**
   * Correct, archive or verify a memory.
   * Correct or archive a memory; only sent fields change. Every call, an empty one too, says the memory is
   * still true and restores its full confidence. Scopes: `memory:write`.
   */
  updateMemory(fields: UpdateMemoryArguments, options?: CallOptions): Promise<Memory>;

  /**
   * Delete a memory.
   * It leaves search at once and MEMORY.md at the next export; a pattern made of it loses its part. Scopes:
   * `memory:write`.
   */
  deleteMemory(fields: DeleteMemoryArguments, options?: CallOptions): Promise<void>;

  /**
   * What became of a memory, and who did it.
   * The last 200 entries, newest first; `total` counts all. They go with the memory. Scopes: `memory:read`.
   */
  listMemoryHistory(fields: ListMemoryHistoryArguments, options?: CallOptions): Promise<MemoryHistory>;

  /**
   * Undo a consolidation.
   * The learnings come back as they were and are never merged again; the pattern is archived. Scopes:
   * `memory:write`.
   */
  unmergeMemory(fields: UnmergeMemoryArguments, options?: CallOptions): Promise<UnmergedMemories>;

  /**
   * Add a conversation source.
   * claude_code, codex and openclaw read session files under config.path, a folder inside
   * SOURCES_DIR/<brand_id>; agentboard reads finished cards assigned to the agent. Scopes: `memory:write`.
   */
  createSource(fields: CreateSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * List conversation sources.
   * Where the conversations come from that memories are learned from, with the last error of each. Scopes:
   * `memory:read`.
   */
  listSources(fields?: ListSourcesArguments, options?: CallOptions): Promise<MemorySourceList>;

  /**
   * Read a conversation source.
   * Its settings, when it was last read, and the last error. Scopes: `memory:read`.
   */
  getSource(fields: GetSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * Change a conversation source.
   * Only the fields that are sent change. `enabled: false` pauses it. Scopes: `memory:write`.
   */
  updateSource(fields: UpdateSourceArguments, options?: CallOptions): Promise<MemorySource>;

  /**
   * Remove a conversation source.
   * What was learned from it stays. Scopes: `memory:write`.
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
    query: ['agent_id', 'status', 'kind', 'stale', 'q', 'limit', 'cursor'],
    pages: { style: 'cursor', parameter: 'cursor', next: 'next_cursor', items: 'memories', key: 'id' },
  },
  createMemory: {
    method: 'POST',
    path: '/api/v1/memory/memories',
    body: ['agent_id', 'kind', 'title', 'body', 'description', 'tags', 'confidence', 'importance'],
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
    body: ['title', 'body', 'description', 'kind', 'tags', 'confidence', 'importance', 'status'],
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
