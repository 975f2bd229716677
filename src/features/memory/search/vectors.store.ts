import { sql } from 'kysely';
import type { Db } from '../../../platform/database/database.js';
import { RELIED_ON_TRANSACTIONS } from './search.store.js';

export interface Unembedded {
  memory_id: string;
  title: string;
  body: string;
  text_hash: Buffer;
}

/** More than the encoder reads. */
const MOST_READ = 8000;

export interface MadeVector {
  memoryId: string;
  textHash: Buffer;
  dimensions: number;
  bytes: Buffer;
}

export function vectorStore(db: Db, brandId: number) {
  return {
    /** Claims waiting memories for this caller until the lease ends. */
    async claim(now: Date, leaseEnds: Date, limit: number): Promise<Unembedded[]> {
      const { rows } = await sql<Unembedded>`
        with claimed as (
          update memory_unembedded set claimed_at = ${now} where memory_id in (
            select memory_id from memory_unembedded
            where brand_id = ${brandId} and (claimed_at is null or claimed_at < ${leaseEnds})
            order by memory_id limit ${limit} for update skip locked)
          returning memory_id, text_hash)
        select memory_id, title, left(body, ${MOST_READ}) as body, claimed.text_hash
        from claimed join memories using (memory_id)`.execute(db);
      return rows;
    },

    async release(memoryIds: readonly string[]): Promise<void> {
      await sql`update memory_unembedded set claimed_at = null where memory_id = any(${memoryIds}::uuid[])`.execute(
        db,
      );
    },

    /**
     * Saves vectors of memories whose text has not changed. The row lock ensures that a delete removes the
     * vector too. Without the conditions by id, the planner would read all memories of the workspace.
     */
    async save(model: string, vectors: readonly MadeVector[]): Promise<void> {
      const memoryIds = vectors.map(({ memoryId }) => memoryId);
      await sql`
        with made as (
          select * from unnest(${memoryIds}::uuid[], ${vectors.map(({ textHash }) => textHash)}::bytea[],
            ${vectors.map(({ dimensions }) => dimensions)}::int[], ${vectors.map(({ bytes }) => bytes)}::bytea[])
            as made (memory_id, text_hash, dimensions, vector)),
        said as (
          select memory_id, agent_id, text_hash from memories
          where memory_id = any(${memoryIds}::uuid[]) and coalesce(brand_id = ${brandId}, false)
            and (memory_id, text_hash) in (select memory_id, text_hash from made) for key share),
        saved as (
          insert into memory_vectors (agent_id, brand_id, model, text_hash, dimensions, vector)
          select distinct agent_id, ${brandId}::int, ${model}, text_hash, dimensions, vector from said join made using (memory_id, text_hash)
          on conflict do nothing)
        delete from memory_unembedded
        where memory_id = any(${memoryIds}::uuid[])
          and (memory_id, text_hash) in (select memory_id, text_hash from made)`.execute(db);
    },
  };
}

/** For the background job, over all workspaces. */
export function vectorQueue(db: Db) {
  return {
    /** The next workspace after this one that has waiting memories. */
    async findWaitingBrand(after: number, leaseEnds: Date): Promise<number | undefined> {
      const { rows } = await sql<{ brand_id: number }>`
        select brand_id from memory_unembedded
        where brand_id > ${after} and (claimed_at is null or claimed_at < ${leaseEnds}) order by brand_id limit 1`.execute(
        db,
      );
      return rows[0]?.brand_id;
    },

    /** Deletes vectors of other models and queues their memories. Returns how many were deleted. */
    async dropOtherModels(model: string, limit: number): Promise<number> {
      const { rows } = await sql<{ dropped: number }>`
        with other as (
          select ctid, agent_id, brand_id, text_hash from memory_vectors where model < ${model} or model > ${model}
          limit ${limit} for update skip locked),
        wanted as (
          insert into memory_unembedded (memory_id, brand_id, text_hash)
          select memory_id, brand_id, text_hash from other join memories using (agent_id, brand_id, text_hash)
          where not exists (
            select from memory_vectors known
            where known.agent_id = memories.agent_id and known.brand_id = memories.brand_id and known.model = ${model}
              and known.text_hash = memories.text_hash)
          on conflict do nothing),
        dropped as (delete from memory_vectors where ctid = any(array(select ctid from other)) returning 1)
        select count(*) as dropped from dropped`.execute(db);
      return rows[0]!.dropped;
    },

    /** Reindexes the next memories that an older version wrote. Returns how many. */
    async reindex(limit: number): Promise<number> {
      const { rows } = await sql<{ done: number }>`
        with done as (
          update memories set words = null
          where ctid = any(array(select ctid from memories where words is null limit ${limit} for update skip locked))
          returning 1)
        select count(*) as done from done`.execute(db);
      return rows[0]!.done;
    },

    /** Deletes removals that no service process needs anymore. */
    async forgetRemovals(): Promise<void> {
      await sql`
        delete from memory_removals where removed_in <
          greatest(0, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - ${2 * RELIED_ON_TRANSACTIONS})::text::xid8`.execute(
        db,
      );
    },
  };
}
