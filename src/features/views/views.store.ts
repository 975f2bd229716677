import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';

export interface ViewRow {
  view_id: string;
  name: string;
  query: string;
  created_at: Date;
}

/** The views of one person in one workspace. */
export const viewStore = (db: Db | Tx, brandId: number, userId: number) => ({
  async list(): Promise<ViewRow[]> {
    const { rows } = await sql<ViewRow>`
      select view_id, name, query, created_at from saved_views
      where brand_id = ${brandId} and user_id = ${userId} order by created_at, view_id
    `.execute(db);
    return rows;
  },

  /** Whoever makes another one at the same moment waits until this is decided. */
  async countLocked(): Promise<number> {
    await sql`select pg_advisory_xact_lock(231, ${userId})`.execute(db);
    const { rows } = await sql<{ views: number }>`
      select count(*) as views from saved_views where brand_id = ${brandId} and user_id = ${userId}
    `.execute(db);
    return rows[0]!.views;
  },

  async insert({ view_id, name, query, created_at }: ViewRow): Promise<void> {
    await sql`
      insert into saved_views (view_id, brand_id, user_id, name, query, created_at)
      values (${view_id}, ${brandId}, ${userId}, ${name}, ${query}, ${created_at})
    `.execute(db);
  },

  async change(
    viewId: string,
    { name, query }: { name?: string; query?: string },
  ): Promise<ViewRow | undefined> {
    const { rows } = await sql<ViewRow>`
      update saved_views set name = coalesce(${name}::text, name), query = coalesce(${query}::text, query)
      where view_id = ${viewId} and brand_id = ${brandId} and user_id = ${userId}
      returning view_id, name, query, created_at
    `.execute(db);
    return rows[0];
  },

  async remove(viewId: string): Promise<boolean> {
    const { rows } = await sql<{ view_id: string }>`
      delete from saved_views where view_id = ${viewId} and brand_id = ${brandId} and user_id = ${userId}
      returning view_id
    `.execute(db);
    return rows.length > 0;
  },

  async removeAll(): Promise<void> {
    await sql`delete from saved_views where brand_id = ${brandId} and user_id = ${userId}`.execute(db);
  },
});

/** What a person's own export has of them, of every workspace. */
export async function listViewsOf(
  db: Db,
  userId: number,
  after = '00000000-0000-0000-0000-000000000000',
  limit: number,
): Promise<(ViewRow & { brand_id: number })[]> {
  const { rows } = await sql<ViewRow & { brand_id: number }>`
    select view_id, brand_id, name, query, created_at from saved_views
    where user_id = ${userId} and view_id > ${after} order by view_id limit ${limit}
  `.execute(db);
  return rows;
}
