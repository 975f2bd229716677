import { type RawBuilder, sql } from 'kysely';
import { HOUR, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { TimePlace } from '../../../kernel/cursor.js';
import { newId } from '../../../kernel/ids.js';
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
  /** The first pending messages. */
  pending: Message[];
}

export interface Arrival {
  agentId: string;
  sourceId: string | null;
  sourceType: ConversationType;
  externalId: string;
  messages: Message[];
  /** `whole`: all messages from the start; `more`: only new ones. */
  extent: 'whole' | 'more';
  fromGuest?: boolean;
}

const COLUMNS = sql`conversation_id, brand_id, agent_id, source_id, source_type, external_id, status, attempts, next_attempt_at, error, from_guest`;

/** Pending messages are rewritten with every change, so they are kept small. */
const MOST_WAITING = 1000;
const MOST_WAITING_BYTES = 1024 * 1024;
/** A claim's limit, which still exceeds one model call; later claims take the rest. */
const MOST_CLAIMED = 1000;
const MOST_CLAIMED_CHARACTERS = 200_000;

export function conversationStore(db: Db, brandId: number) {
  return {
    /** Adds new messages to the conversation. Call it inside a transaction. */
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

    /** Whether the source should hold back more messages for now. */
    async isFull(agentId: string, sourceType: ConversationType, externalId: string): Promise<boolean> {
      const { rows } = await sql<{ full: boolean }>`
        select jsonb_array_length(pending) >= ${MOST_WAITING} or pg_column_size(pending) >= ${MOST_WAITING_BYTES} as full
        from memory_conversations
        where agent_id = ${agentId} and source_type = ${sourceType} and external_id = ${externalId}
          and brand_id = ${brandId}`.execute(db);
      return rows[0]?.full ?? false;
    },

    /** A conversation that is being processed keeps its claim and is processed again for the new messages. */
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
      // As a literal, so that the planner can use the partial index.
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

    /** Undefined when the conversation does not exist or cannot be retried. */
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

/** `retries`: only conversations that failed before; new ones are left to the pickup job. */
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

/** Longer than any extraction; after this time the claim expires. */
const LEASE_SECONDS = 15 * MINUTE;
const MOST_ATTEMPTS = 5;

/** For the background jobs, over all workspaces. Each conversation has at most one claim. */
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

    /** Fails conversations whose last attempt was lost. */
    async giveUpLost(now: Date): Promise<void> {
      await sql`
        update memory_conversations set status = 'failed', next_attempt_at = null, error = 'The last attempt did not come to an end'
        where status = 'processing' and claimed_at < ${secondsFrom(now, -LEASE_SECONDS)} and attempts >= ${MOST_ATTEMPTS}`.execute(
        db,
      );
    },

    /** Whether the claim is still valid; locks the conversation until the transaction ends. */
    async holdsClaim(claim: Claim): Promise<boolean> {
      const { rows } = await sql`
        select from memory_conversations
        where conversation_id = ${claim.conversation_id} and claim_id = ${claim.claim_id} and status = 'processing' for update`.execute(
        db,
      );
      return rows.length > 0;
    },

    /** Removes the processed messages. Messages that arrived in the meantime stay pending. */
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

/** Delays after the first four failed attempts. */
const WAITS = [10 * MINUTE, 30 * MINUTE, 2 * HOUR, 8 * HOUR];

/** Undefined after the last attempt. */
function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const wait = WAITS[attempts - 1];
  return wait === undefined ? undefined : secondsFrom(now, wait);
}
