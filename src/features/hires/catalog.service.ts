import { newId } from '../../kernel/ids.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { type CatalogFields, catalogStore } from './catalog.store.js';
import { installedPackageStore } from './packages.store.js';

export type { CatalogFields } from './catalog.store.js';

/** What the platform does to the catalog and to installs, as part of its own transaction. */
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

/** The whole catalog, also what nobody can hire yet. */
export const listProfiles = (db: Db) => catalogStore(db).listProfiles();

/** undefined when the catalog has no such employee. Nobody who was hired before changes. */
export const changeProfile = (tx: Tx, profileId: string, fields: Partial<CatalogFields>, now: Date) =>
  catalogStore(tx).updateProfile(profileId, { ...fields, updated_at: now });

/** Makes an install the workspace's own; undefined when it is that already. */
export const installPackage = (tx: Tx, brandId: number, wish: { name: string; version: string }, now: Date) =>
  installedPackageStore(tx, brandId).insert({ ...wish, package_id: newId(), installed_at: now });
