import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';

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

/** What the background pass looks for, over all workspaces. */
export function embeddingQueue(db: Db) {
  return {
    async listWaiting(
      model: string,
      after: number,
      limit: number,
    ): Promise<{ lesson_no: number; brand_id: number }[]> {
      const { rows } = await sql<{ lesson_no: number; brand_id: number }>`
        select l.lesson_no, l.brand_id from lessons l
        where l.lesson_no > ${after} and exists (
          select from unnest(l.text_hashes) as h (hash)
          where not exists (select from lesson_vectors v where v.brand_id = l.brand_id and v.model = ${model} and v.text_hash = h.hash))
        order by l.lesson_no limit ${limit}`.execute(db);
      return rows;
    },

    /** Vectors of another model can never be compared again, and those of texts that are gone never are. */
    async dropUnused(model: string): Promise<void> {
      await sql`
        delete from lesson_vectors v where v.model <> ${model}
          or not exists (select from lessons l where l.brand_id = v.brand_id and v.text_hash = any(l.text_hashes))`.execute(
        db,
      );
    },
  };
}
