import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import { IMPORTANCE, KINDS, type Kind } from '../records/memory.record.js';
import { confidenceAt } from '../records/memory-columns.store.js';
import { STATUSES } from './agent-index.js';
import type { AnalysedQuery } from './query-terms.js';

const LOWEST_CONFIDENCE = 0.3;
/** A few milliseconds' work for whoever takes it in. */
const LOT = 500;
/** A question has no more; what lies beyond adds cost and no meaning. */
export const LONGEST_QUESTION = 8000;

export interface SearchScope {
  agentId: string;
  kinds: readonly Kind[];
  now: Date;
}

/** For so long removals can be asked for. */
export const RELIED_ON_TRANSACTIONS = 500_000;

/** What happened to an agent's memories since a moment that the database can name. */
export interface Changes {
  /** The moment up to which this answer tells. */
  snapshot: string;
  /** How many transactions began since. */
  transactions: number;
  changed: string[];
  removed: string[];
}

const textList = (values: readonly string[]): RawBuilder<string> =>
  sql.raw(`array[${values.map((value) => `'${value}'`).join(', ')}]`);

const made = sql`memory_terms(title, body, description, tags, excerpt)`;

/**
 * One memory in the form that `AgentIndex.apply` reads; vectors that an older version wrote are worked out anew. What comes of
 * a guest's words stands there as if it were archived: nothing that is active finds it.
 */
const packed = sql`
  uuid_send(memories.memory_id)
  || int2send(array_position(${textList(STATUSES)}, case when from_guest then 'archived' else status end)::int2)
  || int2send(array_position(${textList(KINDS)}, kind)::int2)
  || int2send(array_position(${textList(IMPORTANCE)}, importance)::int2)
  || float8send(set_confidence) || timestamptz_send(last_verified_at) || timestamptz_send(created_at) || xid8send(changed_in)
  || tsvectorsend(case when words is null then (${made}).stems else search end)
  || tsvectorsend(case when words is null then (${made}).words else words end)
  || int4send(coalesce(length(vector), 0)) || coalesce(vector, ''::bytea)`;

/**
 * Written so that the planner neither takes the workspace's index for it nor thinks that it leaves few: an agent's memories are
 * all of one workspace.
 */
const ofAgent = (brandId: number, agentId: string, table = 'memories') =>
  sql`${sql.ref(`${table}.agent_id`)} = ${agentId} and coalesce(${sql.ref(`${table}.brand_id`)} = ${brandId}, false)`;

/**
 * What was committed since the snapshot, whatever the order of the commits. Transactions that this server has not come to yet
 * were another server's, before the database moved: what they wrote was there from the start.
 */
const unseenIn = (since: string) => (transaction: RawBuilder<unknown>) =>
  sql`
  ${transaction} >= pg_snapshot_xmin(${since}::pg_snapshot) and not pg_visible_in_snapshot(${transaction}, ${since}::pg_snapshot)
  and ${transaction} < pg_snapshot_xmax(pg_current_snapshot())`;

const transactionsSince = (since: string) =>
  sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint - pg_snapshot_xmin(${since}::pg_snapshot)::text::bigint`;

/** Whether the answer to a question about transactions can be relied on. Fewer than none: the database has been put back to an earlier day. */
export const isReliable = (transactions: number): boolean =>
  transactions >= 0 && transactions <= RELIED_ON_TRANSACTIONS;

/** A moment that the database can name. */
export async function readSnapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`.execute(
    db,
  );
  return rows[0]!.snapshot;
}

/** Whether a memory of the agent came, changed or went since the snapshot, as far as anybody can still tell. */
export async function haveChanged(db: Db, brandId: number, agentId: string, since: string): Promise<boolean> {
  const unseen = unseenIn(since);
  const { rows } = await sql<{ transactions: number; changed: boolean }>`
    select ${transactionsSince(since)} as transactions,
      exists (select from memories where ${ofAgent(brandId, agentId)} and ${unseen(sql`changed_in`)})
      or exists (
        select from memory_removals
        where ${ofAgent(brandId, agentId, 'memory_removals')} and ${unseen(sql`removed_in`)}) as changed`.execute(
    db,
  );
  const { transactions, changed } = rows[0]!;
  return changed || !isReliable(transactions);
}

/** `model` is the one whose vectors are read. */
export function searchStore(db: Db, brandId: number, model: string) {
  async function loadLots(which: RawBuilder<unknown>): Promise<Buffer[]> {
    const { rows } = await sql<{ lot: Buffer }>`
      select string_agg(packed, ''::bytea) as lot
      from (
        select ${packed} as packed, row_number() over () / ${LOT} as number
        from memories left join memory_vectors
          on memory_vectors.agent_id = memories.agent_id and memory_vectors.brand_id = memories.brand_id
            and memory_vectors.model = ${model} and memory_vectors.text_hash = memories.text_hash
        where ${which}) as lots
      group by number`.execute(db);
    return rows.map(({ lot }) => lot);
  }

  return {
    async analyse(text: string): Promise<AnalysedQuery> {
      const { rows } = await sql<{ stems: string; words: string; parts: string }>`
        select to_tsvector('memory_stems', spaced)::text as stems, to_tsvector('memory_words', spaced)::text as words,
          to_tsvector('memory_stems', memory_humps(spaced))::text as parts
        from memory_spaced(${text.slice(0, LONGEST_QUESTION).toWellFormed()}) as spaced`.execute(db);
      return { text: text.slice(0, LONGEST_QUESTION), ...rows[0]! };
    },

    /** What the index makes of single words; stop words are left out. */
    async stemWords(words: readonly string[]): Promise<Map<string, string>> {
      const { rows } = await sql<{ word: string; stem: string }>`
        select word, stem from unnest(${words}::text[]) as word,
          lateral unnest(ts_lexize('english_stem', word)) as stem`.execute(db);
      return new Map(rows.map(({ word, stem }) => [word, stem]));
    },

    /** All memories of the agent, in lots of the form that an index takes in. */
    async loadAgent(agentId: string): Promise<Buffer[]> {
      return loadLots(sql`${ofAgent(brandId, agentId)}`);
    },

    async loadMemories(memoryIds: readonly string[]): Promise<Buffer[]> {
      return loadLots(
        sql`memory_id = any(${memoryIds}::uuid[]) and coalesce(memories.brand_id = ${brandId}, false)`,
      );
    },

    async readChanges(agentId: string, since: string): Promise<Changes> {
      const unseen = unseenIn(since);
      const { rows } = await sql<Changes>`
        select pg_current_snapshot()::text as snapshot,
          ${transactionsSince(since)} as transactions,
          array(
            select memory_id from memories where ${ofAgent(brandId, agentId)} and ${unseen(sql`changed_in`)}
            union
            select memory_id from memory_vectors join memories using (agent_id, brand_id, text_hash)
            where ${ofAgent(brandId, agentId, 'memory_vectors')} and model = ${model} and ${unseen(sql`made_in`)})::text[] as changed,
          array(
            select memory_id from memory_removals
            where ${ofAgent(brandId, agentId, 'memory_removals')} and ${unseen(sql`removed_in`)})::text[] as removed`.execute(
        db,
      );
      return rows[0]!;
    },

    /** Memories that hold the text as it was typed: scripts without spaces, symbols, parts of identifiers. */
    async findBySubstring(
      { agentId, kinds, now }: SearchScope,
      text: string,
      limit: number,
    ): Promise<string[]> {
      const { rows } = await sql<{ memory_id: string }>`
        select memory_id from memories
        where ${ofAgent(brandId, agentId)} and status = 'active' and not from_guest and kind = any(${kinds}::text[])
          and ${confidenceAt(now)} >= ${LOWEST_CONFIDENCE} and strpos(lower(title || ' ' || body), lower(${text})) > 0
        order by strpos(lower(title), lower(${text})) > 0 desc, memory_importance_rank(importance) desc,
          ${confidenceAt(now)} desc, created_at desc, memory_id desc
        limit ${limit}`.execute(db);
      return rows.map((row) => row.memory_id);
    },
  };
}
