import { sql } from 'kysely';
import type { Db, Tx } from '../../database/database.js';

const BRAND_COLUMNS = [
  'brand_id',
  'name',
  'plan',
  'subscription_active',
  'scope_ceiling',
  'new_navigation',
  'created_at',
] as const;
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
] as const;

export interface BrandFields {
  name: string;
  plan: string;
  subscription_active: boolean;
  scope_ceiling: string[];
  new_navigation: boolean;
}

export interface CatalogFields {
  name: string;
  description: string;
  published: boolean;
  builder: boolean;
  template: object | null;
  repository: object | null;
}

interface KeptClock {
  offset_ms: number;
  frozen_at: Date | null;
}

/** The operator stands above the workspaces, so these queries name the workspace they mean. */
export function operatorStore(db: Db | Tx) {
  return {
    insertBrand: (brand: BrandFields & { created_at: Date }) =>
      db.insertInto('brands').values(brand).returning(BRAND_COLUMNS).executeTakeFirstOrThrow(),

    listBrands: () =>
      db.selectFrom('brands').select(BRAND_COLUMNS).orderBy('brand_id').limit(10_000).execute(),

    findBrand: (brandId: number) =>
      db.selectFrom('brands').select(BRAND_COLUMNS).where('brand_id', '=', brandId).executeTakeFirst(),

    updateBrand: (brandId: number, fields: Partial<BrandFields>) =>
      db
        .updateTable('brands')
        .set(fields)
        .where('brand_id', '=', brandId)
        .returning(BRAND_COLUMNS)
        .executeTakeFirst(),

    insertUser: (user: {
      email: string;
      full_name: string;
      password_hash: string | null;
      kind: string;
      mail_address: string | null;
      created_at: Date;
    }) =>
      db
        .insertInto('users')
        .values(user)
        .returning(['user_id', 'email', 'full_name', 'kind', 'mail_address', 'created_at'])
        .executeTakeFirstOrThrow(),

    async insertMailName(name: string, userId: number, now: Date): Promise<boolean> {
      const { numAffectedRows } = await sql`
        insert into mail_names (name, user_id, current) values (${name}, ${userId}, true)
        on conflict (name) do update set user_id = excluded.user_id, current = true, forwards_until = null
          where not mail_names.current and mail_names.forwards_until <= ${now}`.execute(db);
      return (numAffectedRows ?? 0n) > 0n;
    },

    async userExists(userId: number): Promise<boolean> {
      return (
        (await db.selectFrom('users').select('user_id').where('user_id', '=', userId).executeTakeFirst()) !==
        undefined
      );
    },

    async upsertMember(
      brandId: number,
      userId: number,
      fields: { role?: string; position?: string | null },
      now: Date,
    ) {
      const { role = null, position } = fields;
      await db
        .deleteFrom('guest_access')
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .execute();
      const { rows } = await sql<{
        brand_id: number;
        user_id: number;
        role: 'admin' | 'member';
        position: string | null;
        joined_at: Date;
      }>`
        insert into memberships (brand_id, user_id, role, position, active, joined_at)
        values (${brandId}, ${userId}, coalesce(${role}, 'member'), ${position ?? null}, true, ${now})
        on conflict (brand_id, user_id) do update set
          role = coalesce(${role}, case when memberships.active then memberships.role else 'member' end),
          position = case when ${position !== undefined} then excluded.position else memberships.position end,
          joined_at = case when memberships.active then memberships.joined_at else excluded.joined_at end,
          active = true
        returning brand_id, user_id, role, position, joined_at`.execute(db);
      return rows[0]!;
    },

    async deactivateMember(brandId: number, userId: number, now: Date): Promise<boolean> {
      const left = await db
        .updateTable('memberships')
        .set({ active: false })
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .where('active', '=', true)
        .returning('user_id')
        .executeTakeFirst();
      if (!left) return false;
      await db
        .updateTable('tokens')
        .set({ revoked_at: now })
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .execute();
      await db.deleteFrom('sessions').where('brand_id', '=', brandId).where('user_id', '=', userId).execute();
      return true;
    },

    async isActiveMember(brandId: number, userId: number): Promise<boolean> {
      const row = await db
        .selectFrom('memberships')
        .select('user_id')
        .where('brand_id', '=', brandId)
        .where('user_id', '=', userId)
        .where('active', '=', true)
        .executeTakeFirst();
      return row !== undefined;
    },

    revokeToken: (tokenId: string, now: Date) =>
      db
        .updateTable('tokens')
        .set({ revoked_at: now })
        .where('token_id', '=', tokenId)
        .where('revoked_at', 'is', null)
        .returning(['token_id', 'brand_id'])
        .executeTakeFirst(),

    insertAgent: (agent: { agent_id: string; name: string; brand_id: number | null; created_at: Date }) =>
      db
        .insertInto('agents')
        .values(agent)
        .returning(['agent_id', 'name', 'brand_id', 'created_at'])
        .executeTakeFirstOrThrow(),

    /** What only a hire brought becomes the workspace's own; undefined when it is that already. */
    insertPackage: (installed: {
      package_id: string;
      brand_id: number;
      name: string;
      version: string;
      installed_at: Date;
    }) =>
      db
        .insertInto('installed_packages')
        .values(installed)
        .onConflict((conflict) =>
          conflict
            .constraint('installed_packages_name_unique')
            .doUpdateSet({ version: installed.version, enabled: true, brought_by_hire: false })
            .where('installed_packages.brought_by_hire', '=', true),
        )
        .returning(['package_id', 'brand_id', 'name', 'version', 'enabled', 'installed_at'])
        .executeTakeFirst(),

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

    insertProfile: (profile: CatalogFields & { profile_id: string; created_at: Date; updated_at: Date }) =>
      db
        .insertInto('catalog_profiles')
        .values(asJson(profile))
        .returning(PROFILE_COLUMNS)
        .executeTakeFirstOrThrow(),

    updateProfile: (profileId: string, fields: Partial<CatalogFields> & { updated_at: Date }) =>
      db
        .updateTable('catalog_profiles')
        .set(asJson(fields))
        .where('profile_id', '=', profileId)
        .returning(PROFILE_COLUMNS)
        .executeTakeFirst(),

    listAudit: (page: { before: number | undefined; brandId: number | undefined; limit: number }) =>
      db
        .selectFrom('audit_log')
        .selectAll()
        .$if(page.before !== undefined, (query) => query.where('audit_id', '<', page.before!))
        .$if(page.brandId !== undefined, (query) => query.where('brand_id', '=', page.brandId!))
        .orderBy('audit_id', 'desc')
        .limit(page.limit)
        .execute(),

    /** The kept clock; whoever else wants to move it waits until this transaction ends. */
    async lockClock(): Promise<KeptClock> {
      await db
        .insertInto('test_clock')
        .values({ offset_ms: 0, frozen_at: null })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return db
        .selectFrom('test_clock')
        .select(['offset_ms', 'frozen_at'])
        .forUpdate()
        .executeTakeFirstOrThrow();
    },

    saveClock: (clock: KeptClock) => db.updateTable('test_clock').set(clock).execute(),

    findClock: () => db.selectFrom('test_clock').select(['offset_ms', 'frozen_at']).executeTakeFirst(),
  };
}

/** JSON columns are written as text. */
function asJson<T extends Partial<CatalogFields>>({ template, repository, ...fields }: T) {
  const text = (value: object | null) => (value === null ? null : JSON.stringify(value));
  return {
    ...fields,
    ...(template !== undefined && { template: text(template) }),
    ...(repository !== undefined && { repository: text(repository) }),
  };
}
