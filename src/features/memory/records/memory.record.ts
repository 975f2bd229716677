import { DAY } from '../../../kernel/clock.js';

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
  /** Of a build that was given a guest's words: kept and shown, and never recalled. */
  from_guest: boolean;
  created_at: Date;
  updated_at: Date;
  last_verified_at: Date;
}

export const STALE_AFTER_DAYS = 30;

export function staleness(lastVerifiedAt: Date, now: Date): { stale: boolean; stale_caveat: string | null } {
  const days = (now.getTime() - lastVerifiedAt.getTime()) / (DAY * 1000);
  if (days <= STALE_AFTER_DAYS) return { stale: false, stale_caveat: null };
  const whole = Math.floor(days);
  return { stale: true, stale_caveat: `Not verified for ${whole} days; check it before you rely on it.` };
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

/** A search result as it was written: what a reader needs. */
export const writeItem = (row: MemoryRow) => ({
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
});

export type WrittenItem = ReturnType<typeof writeItem>;

/** What time makes of it: the confidence it has by now, and the caveat only where there is one. */
export function itemAt(now: Date, item: WrittenItem, confidence: number) {
  const { stale, stale_caveat } = staleness(new Date(item.last_verified_at), now);
  return { ...item, confidence, ...(stale && { stale, stale_caveat: stale_caveat! }) };
}

export type MemoryItem = ReturnType<typeof itemAt>;

export const BEGIN_MARKER = '<!-- guildhall:memory:begin -->';
export const END_MARKER = '<!-- guildhall:memory:end -->';
