import { type Clock, DAY } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Embedder } from '../../../platform/encoder/embedder.js';
import type { Jobs } from '../../../platform/jobs/jobs.js';
import type { ModelClient } from '../../../platform/model/model.js';
import type { WebhookOutbox } from '../../../platform/outbox/outbox.js';

export interface MemoryDeps {
  db: Db;
  clock: Clock;
  log: Log;
  model: ModelClient | undefined;
  embedder: Embedder;
  jobs: Pick<Jobs, 'trigger'>;
  outbox: Pick<WebhookOutbox, 'record'>;
  agentsDir: string;
  sourcesDir: string;
  cursorSecret: string;
}

export const IMPORTANCE = ['low', 'normal', 'high', 'critical'] as const;
export type Importance = (typeof IMPORTANCE)[number];

export const WRITABLE_KINDS = ['decision', 'learning', 'pattern', 'preference', 'fact'] as const;
export const KINDS = [...WRITABLE_KINDS, 'summary'] as const;
export type Kind = (typeof KINDS)[number];
export type Status = 'active' | 'archived' | 'merged';

export interface MemoryRow {
  memory_id: string;
  agent_id: string;
  kind: Kind;
  title: string;
  body: string;
  description: string | null;
  tags: string[];
  confidence: number;
  importance: Importance;
  status: Status;
  source_id: string | null;
  conversation_id: string | null;
  extractor: 'model' | 'rule-based' | null;
  merged_into: string | null;
  merged_from: string[];
  superseded_by: string | null;
  /** Written by a build that a guest could instruct: shown to people but never recalled. */
  from_guest: boolean;
  created_at: Date;
  updated_at: Date;
  last_verified_at: Date;
}

export const STALE_AFTER_DAYS = 30;

function staleness(lastVerifiedAt: Date, now: Date) {
  const days = (now.getTime() - lastVerifiedAt.getTime()) / (DAY * 1000);
  if (days <= STALE_AFTER_DAYS) return { stale: false, stale_caveat: null } as const;
  const whole = Math.floor(days);
  return {
    stale: true,
    stale_caveat: `Not verified for ${whole} days; check it before you rely on it.`,
  } as const;
}

export const toRecord = (row: MemoryRow, now: Date) => ({
  id: row.memory_id,
  agent_id: row.agent_id,
  kind: row.kind,
  title: row.title,
  body: row.body,
  description: row.description,
  confidence: row.confidence,
  tags: row.tags,
  importance: row.importance,
  status: row.status,
  ...staleness(row.last_verified_at, now),
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  last_verified_at: row.last_verified_at.toISOString(),
  source: row.extractor && {
    source_id: row.source_id,
    conversation_id: row.conversation_id,
    extractor: row.extractor,
  },
  merged_into: row.merged_into,
  merged_from: row.merged_from,
  ...(row.superseded_by && { superseded_by: row.superseded_by }),
  ...(row.from_guest && { from_guest: true as const }),
});

export type MemoryRecord = ReturnType<typeof toRecord>;

/** A search result, with a caveat only for a stale memory. */
export const toItem = (row: MemoryRow, now: Date) => ({
  id: row.memory_id,
  kind: row.kind,
  title: row.title,
  body: row.body,
  description: row.description,
  confidence: row.confidence,
  tags: row.tags,
  importance: row.importance,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
  last_verified_at: row.last_verified_at.toISOString(),
  ...staleItem(row.last_verified_at, now),
});

export type MemoryItem = ReturnType<typeof toItem>;

function staleItem(lastVerifiedAt: Date, now: Date): { stale?: true; stale_caveat?: string } {
  const { stale, stale_caveat } = staleness(lastVerifiedAt, now);
  return stale ? { stale, stale_caveat: stale_caveat! } : {};
}

export const BEGIN_MARKER = '<!-- guildhall:memory:begin -->';
export const END_MARKER = '<!-- guildhall:memory:end -->';

export interface Extracted {
  kind: Kind;
  title: string;
  body: string;
  description: string | null;
  tags: string[];
  confidence: number;
  importance: Importance;
  /** The part of the conversation that it was learned from. */
  excerpt: string;
}

export const TITLE_LENGTH = 500;
export const DESCRIPTION_LENGTH = 200;
export const BODY_LENGTH = 1_048_576;

/** Shortens a text to one line, cut at a word and never inside a character. */
export function shorten(text: string, length: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= length) return line;
  const cut = line
    .slice(0, length - 1)
    .toWellFormed()
    .replaceAll('\uFFFD', '');
  const space = cut.lastIndexOf(' ');
  return `${(space > length / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

export interface CreatedMemory {
  memoryId: string;
  agentId: string;
  kind: Kind;
  title: string;
}

/** Queues a webhook message for each new memory, in the transaction that creates it. */
export const notifyCreated = (
  outbox: Pick<WebhookOutbox, 'record'>,
  tx: Tx,
  brandId: number,
  memories: readonly CreatedMemory[],
  at: Date,
): Promise<void> =>
  outbox.record(
    tx,
    memories.map(({ memoryId, agentId, kind, title }) => ({
      brandId,
      type: 'memory.created' as const,
      at,
      data: { memory_id: memoryId, agent_id: agentId, kind, title },
    })),
  );
