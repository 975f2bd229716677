import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import { IMPORTANCE, KINDS, type Kind } from '../records/memory.record.js';
import { confidenceAt } from '../records/memory.store.js';
import { STATUSES } from './agent-index.js';
import type { AnalysedQuery } from './query-terms.js';

const LOWEST_CONFIDENCE = 0.3;
/** Applying a batch to the index takes a few milliseconds. */
const BATCH = 500;
/** Longer questions cost more without adding meaning. */
const LONGEST_QUESTION = 8000;

export interface SearchScope {
  agentId: string;
  kinds: readonly Kind[];
  now: Date;
}

/** Removals are kept for this many transactions. */
export const RELIED_ON_TRANSACTIONS = 500_000;

export interface Changes {
  snapshot: string;
  /** Number of transactions since the last snapshot. */
  transactions: number;
  changed: string[];
  removed: string[];
}

const textList = (values: readonly string[]): RawBuilder<string> =>
  sql.raw(`array[${values.map((value) => `'${value}'`).join(', ')}]`);

const made = sql`memory_terms(title, body, description, tags, excerpt)`;

/**
 * One memory in the form that `AgentIndex.apply` reads. Text search vectors of an older version are
 * recomputed. Memories from a guest's words count as archived, so that no search returns them.
 */
const packed = sql`
  uuid_send(memories.memory_id)
  || int2send(array_position(${textList(STATUSES)}, case when from_guest then 'archived' else status end)::int2)
  || int2send(array_position(${textList(KINDS)}, kind)::int2)
  || int2send(array_position(${textList(IMPORTANCE)}, importance)::int2)
  || float8send(set_confidence) || timestamptz_send(last_verified_at) || timestamptz_send(created_at)
  || tsvectorsend(case when words is null then (${made}).stems else search end)
  || tsvectorsend(case when words is null then (${made}).words else words end)
  || int4send(coalesce(length(vector), 0)) || coalesce(vector, ''::bytea)`;

/**
 * `coalesce` stops the planner from using the workspace's index: all of an agent's memories belong to one
 * workspace.
 */
const ofAgent = (brandId: number, agentId: string, table = 'memories') =>
  sql`${sql.ref(`${table}.agent_id`)} = ${agentId} and coalesce(${sql.ref(`${table}.brand_id`)} = ${brandId}, false)`;

/**
 * Rows committed since the snapshot, in any commit order. Transaction ids that this server has not reached
 * come from the server that the database was moved from, so their rows are old.
 */
const unseenIn = (since: string) => (transaction: RawBuilder<unknown>) =>
  sql`
  ${transaction} >= pg_snapshot_xmin(${since}::pg_snapshot) and not pg_visible_in_snapshot(${transaction}, ${since}::pg_snapshot)
  and ${transaction} < pg_snapshot_xmax(pg_current_snapshot())`;

const transactionsSince = (since: string) =>
  sql`pg_snapshot_xmax(pg_current_snapshot())::text::bigint - pg_snapshot_xmin(${since}::pg_snapshot)::text::bigint`;

/** False when removals may be missing, or when the database was restored to an earlier state (fewer than 0 transactions). */
export const isReliable = (transactions: number): boolean =>
  transactions >= 0 && transactions <= RELIED_ON_TRANSACTIONS;

export async function readSnapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ snapshot: string }>`select pg_current_snapshot()::text as snapshot`.execute(
    db,
  );
  return rows[0]!.snapshot;
}

export function searchStore(db: Db, brandId: number, model: string) {
  async function loadBatches(which: RawBuilder<unknown>): Promise<Buffer[]> {
    const { rows } = await sql<{ batch: Buffer }>`
      select string_agg(packed, ''::bytea) as batch
      from (
        select ${packed} as packed, row_number() over () / ${BATCH} as number
        from memories left join memory_vectors
          on memory_vectors.agent_id = memories.agent_id and memory_vectors.brand_id = memories.brand_id
            and memory_vectors.model = ${model} and memory_vectors.text_hash = memories.text_hash
        where ${which}) as batches
      group by number`.execute(db);
    return rows.map(({ batch }) => batch);
  }

  return {
    async analyse(text: string): Promise<AnalysedQuery> {
      const { rows } = await sql<{ stems: string; words: string; parts: string }>`
        select to_tsvector('memory_stems', spaced)::text as stems, to_tsvector('memory_words', spaced)::text as words,
          to_tsvector('memory_stems', memory_humps(spaced))::text as parts
        from memory_spaced(${text.slice(0, LONGEST_QUESTION).toWellFormed()}) as spaced`.execute(db);
      return { text: text.slice(0, LONGEST_QUESTION), ...rows[0]! };
    },

    /** The stem of each word, without stop words. */
    async stemWords(words: readonly string[]): Promise<Map<string, string>> {
      const { rows } = await sql<{ word: string; stem: string }>`
        select word, stem from unnest(${words}::text[]) as word,
          lateral unnest(ts_lexize('english_stem', word)) as stem`.execute(db);
      return new Map(rows.map(({ word, stem }) => [word, stem]));
    },

    /** All memories of the agent, in batches for `AgentIndex.apply`. */
    async loadAgent(agentId: string): Promise<Buffer[]> {
      return loadBatches(sql`${ofAgent(brandId, agentId)}`);
    },

    async loadMemories(memoryIds: readonly string[]): Promise<Buffer[]> {
      return loadBatches(
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

    /** Memories that contain the text as typed: for scripts without spaces, symbols and parts of identifiers. */
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
