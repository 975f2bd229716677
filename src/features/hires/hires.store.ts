import { type RawBuilder, sql } from 'kysely';
import { newId } from '../../kernel/ids.js';
import type { Db, Nullable, Tx } from '../../platform/database/database.js';
import type { ProfileRow } from './catalog.store.js';
import type { HireStatus, Repository, StepKey, Template } from './hires.rules.js';

export interface HireRow {
  hire_id: string;
  brand_id: number;
  profile_id: string;
  status: HireStatus;
  employee_name: string;
  builder: boolean;
  template: Template;
  repository: Repository | null;
  agent_id: string;
  /** The desk of a builder; the workspace may have released it since. */
  workstation_id: string | null;
  comp_reason: string | null;
  created_at: Date;
  built_at: Date | null;
  failed_step: StepKey | null;
  error: string | null;
  cancel_at_period_end: boolean;
  last_period_end: Date | null;
  effective_at: Date | null;
}

interface HirePage {
  hires: HireRow[];
  total: number;
}

interface NewHire {
  hireId: string;
  profile: ProfileRow & { template: Template };
  agentId: string;
  compReason: string | null;
  hiredBy: number | null;
  grantedBy: string | null;
  now: Date;
}

const HIRE_COLUMNS = sql.raw(`
  hire_id, brand_id, profile_id, status, employee_name, builder, template, repository, agent_id,
  workstation_id, comp_reason,
  created_at, built_at, failed_step, error, cancel_at_period_end, last_period_end, effective_at`);

const SKIP_LOCKED = sql.raw('skip locked');

export function brandHireStore(db: Db | Tx, brandId: number) {
  return {
    /** Serializes hires of a workspace, so that counts stay correct until the caller commits. */
    async lockBrand(): Promise<{ subscription_active: boolean } | undefined> {
      const { rows } = await sql<{ subscription_active: boolean }>`
        select subscription_active from brands where brand_id = ${brandId} for no key update`.execute(db);
      return rows[0];
    },

    async findLiveHire(profileId: string): Promise<string | undefined> {
      const { rows } = await sql<{ hire_id: string }>`
        select hire_id from hires
        where brand_id = ${brandId} and profile_id = ${profileId} and status in ('provisioning', 'active')`.execute(
        db,
      );
      return rows[0]?.hire_id;
    },

    /**
     * Creation time of the workspace's `count`th newest own hire since `since`; undefined when there are
     * fewer.
     */
    async findOwnHireTime(count: number, since: Date): Promise<Date | undefined> {
      const { rows } = await sql<{ created_at: Date }>`
        select created_at from hires
        where brand_id = ${brandId} and granted_by is null and created_at > ${since}
        order by created_at desc offset ${count - 1} limit 1`.execute(db);
      return rows[0]?.created_at;
    },

    /** False when the workspace already has a live hire of the employee. */
    async insertHire(hire: NewHire): Promise<boolean> {
      const { profile } = hire;
      const { numAffectedRows } = await sql`
        insert into hires (hire_id, brand_id, profile_id, status, employee_name, builder, template, repository, agent_id,
                           comp_reason, hired_by, granted_by, created_at)
        values (${hire.hireId}, ${brandId}, ${profile.profile_id}, 'provisioning', ${profile.name}, ${profile.builder},
                ${JSON.stringify(profile.template)}::jsonb, ${asJson(profile.repository)}::jsonb, ${hire.agentId},
                ${hire.compReason}, ${hire.hiredBy}, ${hire.grantedBy}, ${hire.now})
        on conflict (brand_id, profile_id) where status in ('provisioning', 'active') do nothing`.execute(db);
      return numAffectedRows === 1n;
    },

    /** Newest first, with the total count. */
    async listHires(limit: number, offset: number): Promise<HirePage> {
      const { rows } = await sql<Nullable<HireRow> & { total: number }>`
        select newest.total, ${HIRE_COLUMNS}
        from (select coalesce(max(number), 0) as total from hires where brand_id = ${brandId}) newest
        left join hires on brand_id = ${brandId}
          and number > newest.total - ${offset}::bigint - ${limit} and number <= newest.total - ${offset}::bigint
        order by number desc`.execute(db);
      // An empty page is one row with only the total.
      const hires = rows.filter((row): row is HireRow & { total: number } => row.hire_id !== null);
      return { hires, total: rows[0]!.total };
    },
  };
}

/** Hires across workspaces. */
export function hireStore(db: Db | Tx) {
  return {
    async listAllHires(limit: number, offset: number): Promise<HirePage> {
      const [listed, counted] = await Promise.all([
        sql<HireRow>`
          select ${HIRE_COLUMNS} from hires order by created_at desc, hire_id desc limit ${limit} offset ${offset}`.execute(
          db,
        ),
        sql<{ total: number }>`select count(*)::int as total from hires`.execute(db),
      ]);
      return { hires: listed.rows, total: counted.rows[0]!.total };
    },

    async findHire(hireId: string): Promise<HireRow | undefined> {
      const { rows } = await sql<HireRow>`
        select ${HIRE_COLUMNS} from hires where hire_id = ${hireId}`.execute(db);
      return rows[0];
    },

    async lockHire(hireId: string): Promise<HireRow | undefined> {
      const { rows } = await sql<HireRow>`
        select ${HIRE_COLUMNS} from hires where hire_id = ${hireId} for no key update`.execute(db);
      return rows[0];
    },

    /** Serializes the grants of one admin, so that their count stays correct. */
    async lockGranter(granter: string): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`hire-granter:${granter}`}, 0))`.execute(db);
    },

    async findGrantTime(granter: string, count: number, since: Date): Promise<Date | undefined> {
      const { rows } = await sql<{ created_at: Date }>`
        select created_at from hires
        where granted_by = ${granter} and created_at > ${since}
        order by created_at desc offset ${count - 1} limit 1`.execute(db);
      return rows[0]?.created_at;
    },

    async writeCancel(
      hireId: string,
      end: { atPeriodEnd: boolean; periodEnd: Date; effectiveAt: Date },
    ): Promise<void> {
      await sql`
        update hires set status = 'canceled', cancel_at_period_end = ${end.atPeriodEnd},
                         last_period_end = ${end.periodEnd}, effective_at = ${end.effectiveAt},
                         failed_step = null, error = null
        where hire_id = ${hireId}`.execute(db);
    },

    async writeDisabled(hireId: string, now: Date): Promise<void> {
      await sql`
        update hires set disabled_at = ${now}, workstation_id = null where hire_id = ${hireId}`.execute(db);
    },

    async writeWorkspaceRemoved(hireId: string, now: Date): Promise<void> {
      await sql`update hires set workspace_removed_at = ${now} where hire_id = ${hireId}`.execute(db);
    },

    async writeBuilt(hireId: string, workstationId: string | null, now: Date): Promise<void> {
      await sql`
        update hires set status = 'active', workstation_id = ${workstationId}, built_at = ${now},
                         attempts = attempts + 1, failed_step = null, error = null
        where hire_id = ${hireId}`.execute(db);
    },

    /** Skips a hire that was built or canceled meanwhile. True when the reason is new. */
    async writeFailure(hireId: string, step: StepKey, error: string): Promise<boolean> {
      const { rows } = await sql<{ isNew: boolean }>`
        update hires h set attempts = h.attempts + 1, failed_step = ${step}, error = ${error}
        from hires before
        where h.hire_id = ${hireId} and h.status = 'provisioning' and before.hire_id = h.hire_id
        returning before.error is distinct from ${error}::text as "isNew"`.execute(db);
      return rows[0]?.isNew ?? false;
    },

    // --- hires for the jobs; `after` is the last hire of the previous batch -----------------------

    listToBuild: (after: string, limit: number) =>
      listIds(
        db,
        sql<{
          hire_id: string;
        }>`select hire_id from hires where status = 'provisioning' and hire_id > ${after} order by hire_id limit ${limit}`,
      ),

    listToDisable: (after: string, now: Date, limit: number) =>
      listIds(
        db,
        sql<{ hire_id: string }>`select hire_id from hires
            where status = 'canceled' and disabled_at is null and effective_at <= ${now} and hire_id > ${after}
            order by hire_id limit ${limit}`,
      ),

    listToClear: (after: string, limit: number) =>
      listIds(
        db,
        sql<{ hire_id: string }>`select hire_id from hires
            where disabled_at is not null and workspace_removed_at is null and hire_id > ${after}
            order by hire_id limit ${limit}`,
      ),

    /**
     * Locks a hire that is still to be built; skips it while another node has it locked unless the caller waits.
     */
    async claimToBuild(hireId: string, wait: boolean): Promise<HireRow | undefined> {
      const { rows } = await sql<HireRow>`
        select ${HIRE_COLUMNS} from hires where hire_id = ${hireId} and status = 'provisioning'
        for no key update ${wait ? sql`` : SKIP_LOCKED}`.execute(db);
      return rows[0];
    },

    async claimToDisable(hireId: string, wait: boolean): Promise<HireRow | undefined> {
      const { rows } = await sql<HireRow>`
        select ${HIRE_COLUMNS} from hires where hire_id = ${hireId} and status = 'canceled' and disabled_at is null
        for no key update ${wait ? sql`` : SKIP_LOCKED}`.execute(db);
      return rows[0];
    },
  };
}

async function listIds(db: Db | Tx, query: RawBuilder<{ hire_id: string }>): Promise<string[]> {
  const { rows } = await query.execute(db);
  return rows.map(({ hire_id }) => hire_id);
}

const asJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));

/** The catalog names packages without a version, so a hire takes the newest. */
const NEWEST = 'latest';

export interface Released {
  installs_disabled: number;
  installs_retained: number;
}

/**
 * Which hire needs which install. Both methods first lock the installs in order of their names, so that a
 * hire and a cancel never decide about the same install at once and cannot deadlock.
 */
export function hirePackageStore(tx: Tx, brandId: number) {
  return {
    async hold(hireId: string, packages: string[], now: Date): Promise<void> {
      const ids = packages.map(() => newId());
      await sql`
        insert into installed_packages (package_id, brand_id, name, version, enabled, installed_at, brought_by_hire)
        select n.id, ${brandId}, n.name, ${NEWEST}, true, ${now}, true
        from unnest(${ids}::uuid[], ${packages}::text[]) as n (id, name)
        order by n.name collate "C"
        on conflict (brand_id, name) do update set enabled = true`.execute(tx);
      await sql`
        insert into hire_packages (hire_id, brand_id, package_name)
        select ${hireId}, ${brandId}, unnest(${packages}::text[])
        on conflict do nothing`.execute(tx);
    },

    /** Disables installs that neither the workspace itself nor another hire needs. */
    async release(hireId: string): Promise<Released> {
      const { rows: held } = await sql`
        select from installed_packages
        where brand_id = ${brandId}
          and name in (select package_name from hire_packages where hire_id = ${hireId})
        order by name collate "C" for no key update`.execute(tx);
      const { rows: gone } = await sql<{ package_name: string }>`
        delete from hire_packages where hire_id = ${hireId} returning package_name`.execute(tx);
      const names = gone.map(({ package_name }) => package_name);
      const { numAffectedRows } = await sql`
        update installed_packages p set enabled = false
        where p.brand_id = ${brandId} and p.name = any(${names}::text[]) and p.enabled and p.brought_by_hire
          and not exists (
            select from hire_packages r where r.brand_id = p.brand_id and r.package_name = p.name)`.execute(
        tx,
      );
      const disabled = Number(numAffectedRows ?? 0n);
      return { installs_disabled: disabled, installs_retained: held.length - disabled };
    },
  };
}

export function installedPackageStore(tx: Tx, brandId: number) {
  return {
    /** Turns a hire's install into the workspace's own; undefined when it already was. */
    insert: (installed: { package_id: string; name: string; version: string; installed_at: Date }) =>
      tx
        .insertInto('installed_packages')
        .values({ ...installed, brand_id: brandId })
        .onConflict((conflict) =>
          conflict
            .constraint('installed_packages_name_unique')
            .doUpdateSet({ version: installed.version, enabled: true, brought_by_hire: false })
            .where('installed_packages.brought_by_hire', '=', true),
        )
        .returning(['package_id', 'brand_id', 'name', 'version', 'enabled', 'installed_at'])
        .executeTakeFirst(),
  };
}

interface AgentTools {
  brand_id: number | null;
  status: 'provisioning' | 'active' | 'canceled' | null;
  cancel_at_period_end: boolean | null;
  effective_at: Date | null;
  packages: string[];
  enabled: string[];
}

export async function findAgentTools(db: Db | Tx, agentId: string): Promise<AgentTools | undefined> {
  const { rows } = await sql<AgentTools>`
    select a.brand_id, h.status, h.cancel_at_period_end, h.effective_at,
           array(select jsonb_array_elements_text(coalesce(h.template->'packages', '[]'))) as packages,
           array(select p.name from installed_packages p
                 where p.brand_id = a.brand_id and p.enabled
                   and p.name in (select jsonb_array_elements_text(coalesce(h.template->'packages', '[]')))) as enabled
    from agents a
    left join hires h on h.agent_id = a.agent_id and h.brand_id = a.brand_id and h.built_at is not null
    where a.agent_id = ${agentId}`.execute(db);
  return rows[0];
}

/** Makes an install the workspace's own; undefined when it already is. */
export const installPackage = (tx: Tx, brandId: number, wish: { name: string; version: string }, now: Date) =>
  installedPackageStore(tx, brandId).insert({ ...wish, package_id: newId(), installed_at: now });
