import { DEFAULT_SCOPE_CEILING, type MemberCaller } from '../../../kernel/access.js';
import type { Clock } from '../../../kernel/clock.js';
import { isTimeZone } from '../../../kernel/clock.js';
import { newId } from '../../../kernel/ids.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { brandNotFound } from '../../../platform/http/request/authentication.js';
import type { IdentityService } from '../../identity/index.js';
import { nothingToUpdate, notItsName, unknownTimeZone } from '../workspaces.errors.js';
import {
  type BrandFields,
  type BrandFilter,
  brandStore,
  type OwnBrandFields,
  ownBrandStore,
} from './brands.store.js';

export type { BrandFields } from './brands.store.js';

interface BrandOptions {
  db: Db;
  clock: Clock;
  identity: Pick<IdentityService, 'changeIdentities' | 'requireStillAdmin'>;
}

export type BrandService = ReturnType<typeof createBrandService>;

/** Writes run inside the caller's transaction. */
export const createBrandService = ({ db, clock, identity }: BrandOptions) => ({
  create: (tx: Tx, wish: Partial<BrandFields> & { name: string }) =>
    brandStore(tx).insertBrand({
      plan: 'team',
      subscription_active: true,
      scope_ceiling: [...DEFAULT_SCOPE_CEILING],
      new_navigation: true,
      ...wish,
      created_at: clock.now(),
    }),

  list: (wish: BrandFilter) => brandStore(db).listBrands(wish),

  count: (q: string | undefined): Promise<number> => brandStore(db).countBrands(q),

  async get(brandId: number) {
    const brand = await brandStore(db).findBrand(brandId);
    if (!brand) throw brandNotFound();
    return brand;
  },

  /** Clears the cache, because callers are cached together with the workspace's plan and scope ceiling. */
  change: (tx: Tx, brandId: number, fields: Partial<BrandFields>) =>
    identity.changeIdentities(async (inner) => {
      const brand = await brandStore(inner).updateBrand(brandId, fields);
      if (!brand) throw brandNotFound();
      return brand;
    }, tx),

  getOwn: ({ brandId }: MemberCaller) => ownBrandStore(db, brandId).get(),

  /** Clears the cache, because callers are cached with the workspace's name and second-factor requirement. */
  async changeOwn(caller: MemberCaller, fields: OwnBrandFields) {
    if (Object.keys(fields).length === 0) throw nothingToUpdate();
    if (fields.timezone !== undefined && !isTimeZone(fields.timezone)) throw unknownTimeZone();
    const { brandId } = caller;
    return identity.changeIdentities(async (tx) => {
      await identity.requireStillAdmin(tx, caller);
      const brand = await ownBrandStore(tx, brandId).update(fields);
      await recordAudit(tx, {
        brandId,
        actor: caller,
        action: 'brand.changed',
        subject: `brand:${brandId}`,
        details: { fields },
        at: clock.now(),
      });
      return brand;
    });
  },

  /** Requires the workspace's name as a confirmation. */
  async beginErasing(tx: Tx, brandId: number, name: string): Promise<void> {
    if (await brandStore(tx).beginErasing(brandId, name, clock.now())) return;
    if (!(await brandStore(tx).findBrand(brandId))) throw brandNotFound();
    throw notItsName();
  },

  /** Must run last, after all other data of the workspace has been erased. */
  remove: (brandId: number): Promise<void> => brandStore(db).deleteBrand(brandId),

  addFeedSource: (tx: Tx, brandId: number, { name, url }: { name: string; url: string }) =>
    brandStore(tx).insertFeedSource({
      feed_source_id: newId(),
      brand_id: brandId,
      name,
      url,
      created_at: clock.now(),
    }),
});
