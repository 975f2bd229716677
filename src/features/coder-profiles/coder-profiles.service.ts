import type { MemberCaller, Plan } from '../../kernel/access.js';
import type { Clock } from '../../kernel/clock.js';
import { PLAN_TERMS } from '../../kernel/plans.js';
import { recordAudit } from '../../platform/audit/audit.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import {
  buildSettings,
  CATALOG,
  type CatalogProfile,
  type Desk,
  describeProfile,
  findCoder,
  findProfile,
  findProfileForDesk,
  type Overrides,
  planOverride,
  planReset,
  profileNotFound,
  type SettingChange,
} from './coder-profiles.rules.js';
import type { BuildSettings, Change, Profile } from './coder-profiles.schemas.js';
import { type CoderProfileStore, coderProfileStore } from './coder-profiles.store.js';

export { type CatalogProfile, findCoder, findProfile, isProfileKey } from './coder-profiles.rules.js';

const LONGEST_HISTORY = 1000;

export type CoderProfileService = ReturnType<typeof createCoderProfileService>;

type ChangePlan = (profile: CatalogProfile, overrides: Overrides) => SettingChange[];

interface Filter {
  coder?: string;
  task_type?: string;
}

const isIncluded = (profile: CatalogProfile, plan: Plan): boolean =>
  PLAN_TERMS[plan].coders.includes(profile.coder);

function matches(profile: CatalogProfile, { coder, task_type }: Filter): boolean {
  if (coder !== undefined && profile.coder !== findCoder(coder)) return false;
  return task_type === undefined || (profile.tier !== 'hard' && profile.tier === task_type);
}

export function createCoderProfileService({ db, clock }: { db: Db; clock: Clock }) {
  /** The profile and the workspace's changes. An unknown key does not query the database. */
  async function getProfile(store: CoderProfileStore, key: string): Promise<[CatalogProfile, Overrides]> {
    const profile = findProfile(key);
    if (!profile) throw profileNotFound();
    const { plan, overrides } = await store.read(key);
    if (!isIncluded(profile, plan)) throw profileNotFound();
    return [profile, overrides.get(key) ?? {}];
  }

  /** Locks the overrides, computes the changes, and stores all of them or none. */
  function changeProfile(caller: MemberCaller, key: string, plan: ChangePlan): Promise<Profile> {
    return inTransaction(db, async (tx) => {
      const store = coderProfileStore(tx, caller.brandId);
      await store.lock();
      const [profile, overrides] = await getProfile(store, key);
      const after: Overrides = { ...overrides };
      for (const change of plan(profile, overrides)) {
        after[change.field] = change.to ?? undefined;
        await store.write(key, change.field, change.to);
        if (change.recorded) await record(tx, store, caller, key, change);
      }
      return describeProfile(profile, after);
    });
  }

  async function record(
    tx: Tx,
    store: CoderProfileStore,
    caller: MemberCaller,
    key: string,
    change: SettingChange,
  ) {
    const { field, from, to } = change;
    const at = clock.now();
    await store.recordChange({
      profile_key: key,
      field,
      old_value: from,
      new_value: to,
      actor_user_id: caller.userId,
      actor_role: caller.kind === 'session' && caller.staff ? 'platform_admin' : 'brand_admin',
      created_at: at,
    });
    await recordAudit(tx, {
      brandId: caller.brandId,
      actor: caller,
      action: 'coder-profile.changed',
      subject: `coder-profile:${key}`,
      details: { field, from, to },
      at,
    });
  }

  return {
    async listProfiles(brandId: number, filter: Filter): Promise<Profile[]> {
      const { plan, overrides } = await coderProfileStore(db, brandId).read(null);
      return CATALOG.filter((profile) => isIncluded(profile, plan) && matches(profile, filter)).map(
        (profile) => describeProfile(profile, overrides.get(profile.key) ?? {}),
      );
    },

    async getProfile(brandId: number, key: string): Promise<Profile> {
      return describeProfile(...(await getProfile(coderProfileStore(db, brandId), key)));
    },

    async listChanges(
      brandId: number,
      key: string,
      { limit = LONGEST_HISTORY, before = Number.MAX_SAFE_INTEGER }: { limit?: number; before?: number } = {},
    ): Promise<Change[]> {
      const store = coderProfileStore(db, brandId);
      await getProfile(store, key);
      return store.listChanges(key, limit, before);
    },

    override: (caller: MemberCaller, key: string, body: Record<string, unknown>): Promise<Profile> =>
      changeProfile(caller, key, (profile, overrides) => planOverride(profile, overrides, body)),

    reset: (caller: MemberCaller, key: string, field: string): Promise<Profile> =>
      changeProfile(caller, key, (profile, overrides) => planReset(profile, overrides, field)),

    async readBuildSettings(brandId: number, key: string | undefined, desk: Desk): Promise<BuildSettings> {
      const profile = findProfileForDesk(key, desk);
      if (!profile) return buildSettings(desk, undefined, {});
      const { plan, overrides } = await coderProfileStore(db, brandId).read(profile.key);
      return buildSettings(
        desk,
        isIncluded(profile, plan) ? profile : undefined,
        overrides.get(profile.key) ?? {},
      );
    },
  };
}
