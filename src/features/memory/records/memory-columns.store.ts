import { type RawBuilder, sql } from 'kysely';

/** The confidence everybody sees, at that moment. */
export const confidenceAt = (now: Date): RawBuilder<number> =>
  sql<number>`memory_confidence(set_confidence, last_verified_at, importance, ${now})`;

export const recordColumns = (now: Date) => sql`
  memory_id, agent_id, kind, title, body, description, tags, importance, status, source_id, conversation_id, extractor,
  merged_into, merged_from, superseded_by, from_guest, created_at, updated_at, last_verified_at, ${confidenceAt(now)} as confidence`;
