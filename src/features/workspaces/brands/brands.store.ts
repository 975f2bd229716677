import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/database/database.js';
import { anywhere } from '../../../platform/database/schema/sql-fragments.js';

const BRAND_COLUMNS = [
  'brand_id',
  'name',
  'plan',
  'subscription_active',
  'scope_ceiling',
  'new_navigation',
  'created_at',
] as const;

const OWN_COLUMNS = [
  'brand_id',
  'name',
  'plan',
  'created_at',
  'require_mfa',
  'timezone',
  'scope_ceiling',
] as const;

export interface OwnBrandFields {
  name?: string;
  require_mfa?: boolean;
  timezone?: string;
}

export interface BrandFields {
  name: string;
  plan: string;
  subscription_active: boolean;
  scope_ceiling: string[];
  new_navigation: boolean;
}

export interface BrandFilter {
  q?: string;
  /** The last brand_id of the previous page. */
  after?: number;
  limit: number;
}

const named = (q: string) => sql<boolean>`name ilike ${anywhere(q)}`;

/** Across workspaces, for the operator. */
export const brandStore = (db: Db | Tx) => ({
  insertBrand: (brand: BrandFields & { created_at: Date }) =>
    db.insertInto('brands').values(brand).returning(BRAND_COLUMNS).executeTakeFirstOrThrow(),

  listBrands: ({ q, after = 0, limit }: BrandFilter) =>
    db
      .selectFrom('brands')
      .select(BRAND_COLUMNS)
      .where('erasing_at', 'is', null)
      .where('brand_id', '>', after)
      .$if(q !== undefined, (query) => query.where(named(q!)))
      .orderBy('brand_id')
      .limit(limit)
      .execute(),

  async countBrands(q: string | undefined): Promise<number> {
    const { total } = await db
      .selectFrom('brands')
      .select((on) => on.fn.countAll<number>().as('total'))
      .where('erasing_at', 'is', null)
      .$if(q !== undefined, (query) => query.where(named(q!)))
      .executeTakeFirstOrThrow();
    return total;
  },

  findBrand: (brandId: number) =>
    db
      .selectFrom('brands')
      .select(BRAND_COLUMNS)
      .where('brand_id', '=', brandId)
      .where('erasing_at', 'is', null)
      .executeTakeFirst(),

  updateBrand: (brandId: number, fields: Partial<BrandFields>) =>
    db
      .updateTable('brands')
      .set(fields)
      .where('brand_id', '=', brandId)
      .where('erasing_at', 'is', null)
      .returning(BRAND_COLUMNS)
      .executeTakeFirst(),

  /** Hides the workspace everywhere; false if it does not exist or the name does not match. */
  async beginErasing(brandId: number, name: string, now: Date): Promise<boolean> {
    const row = await db
      .updateTable('brands')
      .set({ erasing_at: now })
      .where('brand_id', '=', brandId)
      .where('name', '=', name)
      .where('erasing_at', 'is', null)
      .returning('brand_id')
      .executeTakeFirst();
    return row !== undefined;
  },

  async deleteBrand(brandId: number): Promise<void> {
    await db.deleteFrom('brands').where('brand_id', '=', brandId).execute();
  },

  insertFeedSource: (source: {
    feed_source_id: string;
    brand_id: number;
    name: string;
    url: string;
    created_at: Date;
  }) =>
    db
      .insertInto('feed_sources')
      .values(source)
      .returning(['feed_source_id', 'brand_id', 'name', 'url', 'created_at'])
      .executeTakeFirstOrThrow(),
});

export const ownBrandStore = (db: Db | Tx, brandId: number) => ({
  get: () =>
    db.selectFrom('brands').select(OWN_COLUMNS).where('brand_id', '=', brandId).executeTakeFirstOrThrow(),

  update: (fields: OwnBrandFields) =>
    db
      .updateTable('brands')
      .set(fields)
      .where('brand_id', '=', brandId)
      .returning(OWN_COLUMNS)
      .executeTakeFirstOrThrow(),
});
