import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/database/database.js';

export interface ViewRow {
  view_id: string;
  name: string;
  query: string;
  created_at: Date;
  shared: boolean;
  owner_id: number;
  owner_name: string;
}

export type ViewFields = Pick<ViewRow, 'name' | 'query' | 'shared'>;

const shownColumns = sql`
  v.view_id, v.name, v.query, v.created_at, v.shared, v.user_id as owner_id, u.full_name as owner_name`;

/** The views of one person in one workspace, and shared views of others. */
export const viewStore = (db: Db | Tx, brandId: number, userId: number) => ({
  async list({ withShared }: { withShared: boolean }): Promise<ViewRow[]> {
    const { rows } = await sql<ViewRow>`
      select ${shownColumns} from saved_views v join users u using (user_id)
      where v.brand_id = ${brandId} and (v.user_id = ${userId} or ${withShared}::boolean and v.shared)
      order by v.created_at, v.view_id
    `.execute(db);
    return rows;
  },

  async find(viewId: string): Promise<ViewRow | undefined> {
    const { rows } = await sql<ViewRow>`
      select ${shownColumns} from saved_views v join users u using (user_id)
      where v.view_id = ${viewId} and v.brand_id = ${brandId} and (v.user_id = ${userId} or v.shared)
    `.execute(db);
    return rows[0];
  },

  /** The lock makes a concurrent creation wait, so that the limit holds. */
  async countLocked(): Promise<number> {
    await sql`select pg_advisory_xact_lock(231, ${userId})`.execute(db);
    const { rows } = await sql<{ views: number }>`
      select count(*) as views from saved_views where brand_id = ${brandId} and user_id = ${userId}
    `.execute(db);
    return rows[0]!.views;
  },

  async insert(viewId: string, { name, query, shared }: ViewFields, at: Date): Promise<void> {
    await sql`
      insert into saved_views (view_id, brand_id, user_id, name, query, shared, created_at)
      values (${viewId}, ${brandId}, ${userId}, ${name}, ${query}, ${shared}, ${at})
    `.execute(db);
  },

  async change(viewId: string, { name, query, shared }: Partial<ViewFields>): Promise<void> {
    await sql`
      update saved_views set name = coalesce(${name}::text, name), query = coalesce(${query}::text, query),
        shared = coalesce(${shared}::boolean, shared)
      where view_id = ${viewId} and brand_id = ${brandId}
    `.execute(db);
  },

  async remove(viewId: string): Promise<void> {
    await sql`delete from saved_views where view_id = ${viewId} and brand_id = ${brandId}`.execute(db);
  },

  async removeAll(): Promise<void> {
    await sql`delete from saved_views where brand_id = ${brandId} and user_id = ${userId}`.execute(db);
  },
});

export interface OwnView extends ViewFields {
  view_id: string;
  brand_id: number;
  created_at: Date;
}

export async function listViewsOf(
  db: Db,
  userId: number,
  after = '00000000-0000-0000-0000-000000000000',
  limit: number,
): Promise<OwnView[]> {
  const { rows } = await sql<OwnView>`
    select view_id, brand_id, name, query, shared, created_at from saved_views
    where user_id = ${userId} and view_id > ${after} order by view_id limit ${limit}
  `.execute(db);
  return rows;
}
