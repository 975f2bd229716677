import { sql } from 'kysely';
import { newId } from '../../kernel/ids.js';
import type { Db, Tx } from '../../platform/database/database.js';
import type { Repository, Template } from './hires.rules.js';

export interface CatalogFields {
  name: string;
  description: string;
  published: boolean;
  builder: boolean;
  template: object | null;
  repository: object | null;
  price_usd: number | null;
}

export interface ProfileRow {
  profile_id: string;
  name: string;
  builder: boolean;
  template: Template | null;
  repository: Repository | null;
}

export interface EmployeeRow extends ProfileRow {
  description: string;
  price_usd: number | null;
  existing_hire_id: string | null;
}

const PROFILE_COLUMNS = [
  'profile_id',
  'name',
  'description',
  'published',
  'builder',
  'template',
  'repository',
  'created_at',
  'updated_at',
  'price_usd',
] as const;

const MOST_EMPLOYEES = 1000;

export function catalogStore(db: Db | Tx) {
  return {
    insertProfile: async (
      profile: CatalogFields & { profile_id: string; created_at: Date; updated_at: Date },
    ) =>
      withPriceIfAny(
        await db
          .insertInto('catalog_profiles')
          .values(asJson(profile))
          .returning(PROFILE_COLUMNS)
          .executeTakeFirstOrThrow(),
      ),

    async updateProfile(profileId: string, fields: Partial<CatalogFields> & { updated_at: Date }) {
      const row = await db
        .updateTable('catalog_profiles')
        .set(asJson(fields))
        .where('profile_id', '=', profileId)
        .returning(PROFILE_COLUMNS)
        .executeTakeFirst();
      return row && withPriceIfAny(row);
    },

    async listProfiles() {
      const rows = await db
        .selectFrom('catalog_profiles')
        .select(PROFILE_COLUMNS)
        .orderBy('name')
        .orderBy('profile_id')
        .limit(MOST_EMPLOYEES)
        .execute();
      return rows.map(withPriceIfAny);
    },

    async findPublishedProfile(profileId: string): Promise<ProfileRow | undefined> {
      const { rows } = await sql<ProfileRow>`
        select profile_id, name, builder, template, repository from catalog_profiles
        where profile_id = ${profileId} and published`.execute(db);
      return rows[0];
    },

    /** The published catalog, with the live hire of the given workspace for each employee. */
    async listEmployees(brandId: number | null): Promise<EmployeeRow[]> {
      const { rows } = await sql<EmployeeRow>`
        select c.profile_id, c.name, c.description, c.builder, c.template, c.repository, c.price_usd,
               h.hire_id as existing_hire_id
        from catalog_profiles c
        left join hires h on h.brand_id = ${brandId} and h.profile_id = c.profile_id
          and h.status in ('provisioning', 'active')
        where c.published
        order by c.name, c.profile_id limit ${MOST_EMPLOYEES}`.execute(db);
      return rows;
    },
  };
}

/** Omits a missing price, as the API did before prices existed. */
function withPriceIfAny<R extends { price_usd: number | null }>({ price_usd, ...row }: R) {
  return { ...row, ...(price_usd !== null && { price_usd }) };
}

function asJson<T extends Partial<CatalogFields>>({ template, repository, ...fields }: T) {
  const text = (value: object | null) => (value === null ? null : JSON.stringify(value));
  return {
    ...fields,
    ...(template !== undefined && { template: text(template) }),
    ...(repository !== undefined && { repository: text(repository) }),
  };
}

/** Changes of the operator; they join the caller's transaction. */
export const createProfile = (tx: Tx, wish: Partial<CatalogFields> & { name: string }, now: Date) =>
  catalogStore(tx).insertProfile({
    description: '',
    published: true,
    builder: false,
    template: null,
    repository: null,
    price_usd: null,
    ...wish,
    profile_id: newId(),
    created_at: now,
    updated_at: now,
  });

export const listProfiles = (db: Db) => catalogStore(db).listProfiles();

/** Returns undefined for an unknown employee. Existing hires do not change. */
export const changeProfile = (tx: Tx, profileId: string, fields: Partial<CatalogFields>, now: Date) =>
  catalogStore(tx).updateProfile(profileId, { ...fields, updated_at: now });
