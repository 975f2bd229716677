import { type RawBuilder, sql } from 'kysely';
import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import type { TimePlace } from '../../../kernel/time-pages.js';
import type { Db } from '../../../platform/database/database.js';
import { type Message, withinLength } from './messages.js';
import type { ConversationType } from './sources.store.js';

export const CONVERSATION_STATUSES = ['waiting', 'processing', 'done', 'failed'] as const;
export type ConversationStatus = (typeof CONVERSATION_STATUSES)[number];

export interface ConversationRow {
  conversation_id: string;
  brand_id: number;
  agent_id: string;
  source_id: string | null;
  source_type: ConversationType;
  external_id: string;
  status: ConversationStatus;
  attempts: number;
  next_attempt_at: Date | null;
  error: string | null;
  from_guest: boolean;
}

interface ListedConversation extends ConversationRow {
  created_at: Date;
}

export interface Claim extends ConversationRow {
  claim_id: string;
  /** The first of what waits. */
  pending: Message[];
}

export interface Arrival {
  agentId: string;
  sourceId: string | null;
  sourceType: ConversationType;
  externalId: string;
  messages: Message[];
  /** `whole`: the conversation from its beginning, of which the first part is known; `more`: only what is new. */
  extent: 'whole' | 'more';
  /** What is learned from it comes of a guest's words. */
  fromGuest?: boolean;
}

const COLUMNS = sql`conversation_id, brand_id, agent_id, source_id, source_type, external_id, status, attempts, next_attempt_at, error, from_guest`;

/** What waits is rewritten whole whenever something is learned or added: it is kept small. */
const MOST_WAITING = 1000;
const MOST_WAITING_BYTES = 1024 * 1024;
/** More than one call takes; whatever waits beyond it is claimed the next time. */
const MOST_CLAIMED = 1000;
const MOST_CLAIMED_CHARACTERS = 200_000;

export function conversationStore(db: Db, brandId: number) {
  return {
    /** Belongs into a transaction: what arrives is added to what is known of that conversation. */
    async receive(arrival: Arrival, now: Date): Promise<{ conversation: ConversationRow; created: boolean }> {
      const { agentId, sourceId, sourceType, externalId, extent } = arrival;
      const messages = arrival.messages.map(withinLength);
      const made = await sql<ConversationRow>`
        insert into memory_conversations (conversation_id, brand_id, agent_id, source_id, source_type, external_id, status,
          next_attempt_at, pending, received, created_at, updated_at, from_guest)
        values (${newId()}, ${brandId}, ${agentId}, ${sourceId}, ${sourceType}, ${externalId}, 'waiting', ${now},
          ${JSON.stringify(messages)}::jsonb, ${messages.length}, ${now}, ${now}, ${arrival.fromGuest ?? false})
        on conflict (agent_id, source_type, external_id) do nothing
        returning ${COLUMNS}`.execute(db);
      if (made.rows[0]) return { conversation: made.rows[0], created: true };

      const known = await sql<ConversationRow & { received: number }>`
        select ${COLUMNS}, received from memory_conversations
        where agent_id = ${agentId} and source_type = ${sourceType} and external_id = ${externalId} and brand_id = ${brandId}
        for update`.execute(db);
      const conversation = known.rows[0]!;
      const fresh = extent === 'whole' ? messages.slice(conversation.received) : messages;
      if (fresh.length === 0) return { conversation, created: false };
      return { conversation: await this.append(conversation.conversation_id, fresh, now), created: false };
    },

    /** Whether so much waits to be learned that more can wait where it is. */
    async isFull(agentId: string, sourceType: ConversationType, externalId: string): Promise<boolean> {
      const { rows } = await sql<{ full: boolean }>`
        select jsonb_array_length(pending) >= ${MOST_WAITING} or pg_column_size(pending) >= ${MOST_WAITING_BYTES} as full
        from memory_conversations
        where agent_id = ${agentId} and source_type = ${sourceType} and external_id = ${externalId}
          and brand_id = ${brandId}`.execute(db);
      return rows[0]?.full ?? false;
    },

    /** A conversation that is being learned from keeps its claim; it will find the rest when it ends. */
    async append(conversationId: string, messages: Message[], now: Date): Promise<ConversationRow> {
      const { rows } = await sql<ConversationRow>`
        update memory_conversations set
          pending = pending || ${JSON.stringify(messages)}::jsonb,
          received = received + ${messages.length},
          status = case when status = 'processing' then status else 'waiting' end,
          attempts = case when status = 'processing' then attempts else 0 end,
          next_attempt_at = case when status = 'processing' then next_attempt_at else ${now} end,
          error = case when status = 'processing' then error end,
          updated_at = ${now}
        where conversation_id = ${conversationId}
        returning ${COLUMNS}`.execute(db);
      return rows[0]!;
    },

    async list(filter: {
      agentId?: string;
      status?: ConversationStatus;
      after: TimePlace | undefined;
      limit: number;
    }): Promise<{ rows: ListedConversation[]; total: number }> {
      const { agentId, status, after } = filter;
      const parts = [sql`brand_id = ${brandId}`];
      if (agentId !== undefined) parts.push(sql`agent_id = ${agentId}`);
      // Said outright, so that the index of those that are not done is known to answer it.
      if (status !== undefined) parts.push(sql`status = ${sql.lit(status)}`);
      const where = sql.join(parts, sql` and `);
      const further = after
        ? sql`and created_at <= ${after.at} and (created_at < ${after.at} or conversation_id > ${after.id})`
        : sql``;
      const page = await sql<ListedConversation>`
        select ${COLUMNS}, created_at from memory_conversations where ${where} ${further}
        order by created_at desc, conversation_id limit ${filter.limit}`.execute(db);
      const count = await sql<{ total: number }>`
        select count(*)::int as total from memory_conversations where ${where}`.execute(db);
      return { rows: page.rows, total: count.rows[0]!.total };
    },

    /** Undefined when there is none, or nothing to try again. */
    async makeDue(conversationId: string, now: Date): Promise<ConversationRow | undefined> {
      const { rows } = await sql<ConversationRow>`
        update memory_conversations set status = 'waiting', next_attempt_at = ${now}, updated_at = ${now}
        where conversation_id = ${conversationId} and brand_id = ${brandId} and status in ('waiting', 'failed')
        returning ${COLUMNS}`.execute(db);
      return rows[0];
    },

    async findStatus(conversationId: string): Promise<ConversationStatus | undefined> {
      const { rows } = await sql<{ status: ConversationStatus }>`
        select status from memory_conversations
        where conversation_id = ${conversationId} and brand_id = ${brandId}`.execute(db);
      return rows[0]?.status;
    },

    async findSourceId(agentId: string, sourceType: ConversationType): Promise<string | null> {
      const { rows } = await sql<{ source_id: string }>`
        select source_id from memory_sources
        where brand_id = ${brandId} and agent_id = ${agentId} and source_type = ${sourceType}
        order by created_at, source_id limit 1`.execute(db);
      return rows[0]?.source_id ?? null;
    },
  };
}

/** `retries`: what was tried before and has waited long enough; what is new is left to the pick-up. */
export type Due = 'all' | 'retries';

const WAITING: Record<Due, RawBuilder<unknown>> = {
  all: sql`status = 'waiting'`,
  retries: sql`status = 'waiting' and attempts > 0`,
};

const FIRST_PENDING = sql`(
  select coalesce(jsonb_agg(message order by place), '[]') from (
    select message, place, sum(length(message ->> 'content')) over (order by place) as characters
    from jsonb_array_elements(pending) with ordinality as waiting (message, place)
    limit ${sql.lit(MOST_CLAIMED)}
  ) first where place = 1 or characters <= ${sql.lit(MOST_CLAIMED_CHARACTERS)})`;

/** Longer than any extraction takes: whoever held it is gone. */
const LEASE_SECONDS = 15 * MINUTE;
const MOST_ATTEMPTS = 5;

/** For the pass, which works for every workspace: each conversation is in one pair of hands at a time. */
export function conversationQueue(db: Db) {
  return {
    async claimDue(due: Due, now: Date): Promise<Claim | undefined> {
      const lost = secondsFrom(now, -LEASE_SECONDS);
      const { rows } = await sql<Claim>`
        update memory_conversations set status = 'processing', attempts = attempts + 1, claim_id = ${newId()}, claimed_at = ${now}
        where conversation_id = (
          select conversation_id from memory_conversations
          where (${WAITING[due]} and next_attempt_at <= ${now})
            or (status = 'processing' and claimed_at < ${lost} and attempts < ${MOST_ATTEMPTS})
          order by next_attempt_at, conversation_id limit 1 for update skip locked)
        returning ${COLUMNS}, claim_id, ${FIRST_PENDING} as pending`.execute(db);
      return rows[0];
    },

    /** Those whose fifth attempt never came back. */
    async giveUpLost(now: Date): Promise<void> {
      await sql`
        update memory_conversations set status = 'failed', next_attempt_at = null, error = 'The last attempt did not come to an end'
        where status = 'processing' and claimed_at < ${secondsFrom(now, -LEASE_SECONDS)} and attempts >= ${MOST_ATTEMPTS}`.execute(
        db,
      );
    },

    /** Whether the claim still holds, locked until the transaction ends. */
    async holdsClaim(claim: Claim): Promise<boolean> {
      const { rows } = await sql`
        select from memory_conversations
        where conversation_id = ${claim.conversation_id} and claim_id = ${claim.claim_id} and status = 'processing' for update`.execute(
        db,
      );
      return rows.length > 0;
    },

    /** What was learned from is forgotten; whatever came meanwhile waits for its turn. */
    async complete(claim: Claim, learned: number, now: Date): Promise<void> {
      await sql`
        with rest as (
          select coalesce(jsonb_agg(message order by place), '[]') as messages
          from memory_conversations, jsonb_array_elements(pending) with ordinality as kept (message, place)
          where conversation_id = ${claim.conversation_id} and place > ${learned}
        )
        update memory_conversations set
          pending = rest.messages,
          status = case when rest.messages = '[]' then 'done' else 'waiting' end,
          attempts = case when rest.messages = '[]' then attempts else 0 end,
          next_attempt_at = case when rest.messages = '[]' then null::timestamptz else ${now} end,
          error = null, claim_id = null, claimed_at = null, updated_at = ${now}
        from rest
        where conversation_id = ${claim.conversation_id} and claim_id = ${claim.claim_id}`.execute(db);
    },

    async fail(claim: Claim, error: string, now: Date): Promise<void> {
      const next = nextAttemptAt(claim.attempts, now) ?? null;
      await sql`
        update memory_conversations set
          status = ${next ? 'waiting' : 'failed'}, next_attempt_at = ${next}, error = ${error},
          claim_id = null, claimed_at = null, updated_at = ${now}
        where conversation_id = ${claim.conversation_id} and claim_id = ${claim.claim_id}`.execute(db);
    },
  };
}

/** How long a conversation waits after its first, second, third and fourth failed attempt. */
const WAITS = [10 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR];

/** When to try again after that many failed attempts; undefined: it has failed for good. */
export function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const wait = WAITS[attempts - 1];
  return wait === undefined ? undefined : secondsFrom(now, wait);
}
