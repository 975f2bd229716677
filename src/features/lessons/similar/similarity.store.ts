import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';

export interface ComparableLesson {
  lesson_no: number;
  id: string;
  path: string;
  project_id: string;
  type: string;
  pinned: boolean;
  text_hashes: string[];
}

/** Vectors of one workspace's lesson texts, by model and hash of the text. */
export function similarityStore(db: Db | Tx, brandId: number) {
  return {
    async listComparable(type: string | null): Promise<ComparableLesson[]> {
      const { rows } = await sql<ComparableLesson>`
        select lesson_no, lesson_id as id, path, project_id, type, pinned, text_hashes from lessons
        where brand_id = ${brandId} and status = 'live' and (${type}::text is null or type = ${type}::text)
        order by lesson_id`.execute(db);
      return rows;
    },

    async readVectors(
      model: string,
      hashes: readonly string[],
    ): Promise<{ text_hash: string; vector: Buffer }[]> {
      if (hashes.length === 0) return [];
      const { rows } = await sql<{ text_hash: string; vector: Buffer }>`
        select text_hash, vector from lesson_vectors
        where brand_id = ${brandId} and model = ${model} and text_hash = any(${hashes}::text[])`.execute(db);
      return rows;
    },

    async saveVectors(
      model: string,
      vectors: readonly { hash: string; dimensions: number; bytes: Buffer }[],
    ): Promise<void> {
      await sql`
        insert into lesson_vectors (brand_id, model, text_hash, dimensions, vector)
        select ${brandId}::int, ${model}, * from unnest(${vectors.map(({ hash }) => hash)}::text[],
          ${vectors.map(({ dimensions }) => dimensions)}::int[], ${vectors.map(({ bytes }) => bytes)}::bytea[])
        on conflict do nothing`.execute(db);
    },

    async readTexts(
      numbers: readonly number[],
    ): Promise<{ title: string; body: string; text_hashes: string[] }[]> {
      const { rows } = await sql<{ title: string; body: string; text_hashes: string[] }>`
        select title, body, text_hashes from lessons where brand_id = ${brandId} and lesson_no = any(${numbers}::bigint[])`.execute(
        db,
      );
      return rows;
    },
  };
}

/**
 * Lessons and vectors of all workspaces, for the background job. `union all` and a window instead of a join,
 * so that no plan reads one table for each row of the other.
 */
export function embeddingQueue(db: Db | Tx) {
  const textsBesideVectors = (model: string) => sql`
    select brand_id, unnest(text_hashes) as hash, lesson_no, null::tid as place from lessons
    union all select brand_id, text_hash, null, ctid from lesson_vectors where model = ${model}`;

  return {
    async listWaiting(
      model: string,
      after: number,
      limit: number,
    ): Promise<{ lesson_no: number; brand_id: number }[]> {
      const { rows } = await sql<{ lesson_no: number; brand_id: number }>`
        select distinct lesson_no, brand_id from (
          select lesson_no, brand_id, count(place) over (partition by brand_id, hash) as vectors
          from (${textsBesideVectors(model)}) as beside) as texts
        where lesson_no > ${after} and vectors = 0
        order by lesson_no limit ${limit}`.execute(db);
      return rows;
    },

    /** Deletes vectors of other models and of texts that no lesson has. */
    async dropUnused(model: string): Promise<void> {
      await sql`delete from lesson_vectors where model <> ${model}`.execute(db);
      await sql`
        delete from lesson_vectors where ctid = any(array(
          select place from (
            select place, count(lesson_no) over (partition by brand_id, hash) as lessons
            from (${textsBesideVectors(model)}) as beside) as vectors
          where place is not null and lessons = 0))`.execute(db);
    },
  };
}
