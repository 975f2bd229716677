import { sql } from 'kysely';
import type { Plan } from '../../../kernel/access.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import { findWorkspaceBudget } from '../budget/budgets.service.js';
import type { BuildPolicy } from '../builds.schemas.js';

/** Nothing begins by itself unless somebody wants it to. */
export const NO_REWORK: BuildPolicy['rework'] = {
  on_gate: false,
  on_checks: false,
  on_changes_requested: false,
  on_conflict: false,
};

/** What a workspace allows of builds. */
export function policyStore(db: Db | Tx, brandId: number) {
  return {
    async find(): Promise<BuildPolicy | undefined> {
      const { rows } = await sql<Omit<BuildPolicy, 'budget'> & { allow_secrets: boolean }>`
        select enabled, max_open, max_per_day, max_minutes, rework, stall_minutes, reviewer, allow_secrets from build_policies where brand_id = ${brandId}`.execute(
        db,
      );
      if (!rows[0]) return undefined;
      const { allow_secrets, ...kept } = rows[0];
      const policy = {
        ...kept,
        rework: { ...NO_REWORK, ...kept.rework },
        budget: await findWorkspaceBudget(db, brandId),
      };
      return allow_secrets ? { ...policy, allow_secrets } : policy;
    },

    async save(policy: BuildPolicy, now: Date): Promise<void> {
      await sql`
        insert into build_policies (brand_id, enabled, max_open, max_per_day, max_minutes, rework, stall_minutes, reviewer, allow_secrets, updated_at)
        values (${brandId}, ${policy.enabled}, ${policy.max_open}, ${policy.max_per_day}, ${policy.max_minutes},
          ${JSON.stringify(policy.rework)}::jsonb, ${policy.stall_minutes}, ${policy.reviewer && JSON.stringify(policy.reviewer)}::jsonb,
          ${policy.allow_secrets ?? false}, ${now})
        on conflict (brand_id) do update set enabled = excluded.enabled, max_open = excluded.max_open,
          max_per_day = excluded.max_per_day, max_minutes = excluded.max_minutes, rework = excluded.rework,
          stall_minutes = excluded.stall_minutes, reviewer = excluded.reviewer, allow_secrets = excluded.allow_secrets, updated_at = excluded.updated_at`.execute(
        db,
      );
    },

    /** One new build at a time in a workspace: the counts stay true until the caller's transaction ends. */
    async lockPlan(): Promise<Plan> {
      const { rows } = await sql<{ plan: Plan }>`
        select plan from brands where brand_id = ${brandId} for no key update`.execute(db);
      return rows[0]!.plan;
    },
  };
}
