import { sql } from 'kysely';
import { newId } from '../../kernel/ids.js';
import type { Db, Tx } from '../../platform/database/database.js';

/** The catalog names packages without a version: a hire takes the newest. */
const NEWEST = 'latest';

export interface Released {
  installs_disabled: number;
  installs_retained: number;
}

/**
 * Who needs which install of one workspace. Both ways begin by locking the installs themselves, in the order of their
 * names, so that a hire that comes and one that goes never decide about the same install at the same time.
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

    /** Turns off what the workspace did not install itself and no other hire needs. */
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

/** What one workspace has installed by itself. */
export function installedPackageStore(tx: Tx, brandId: number) {
  return {
    /** What only a hire brought becomes the workspace's own; undefined when it is that already. */
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

/** An agent, the hire it came with, and which of the hire's packages are on. */
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
