import { type Insertable, sql } from 'kysely';
import type { Plan } from '../../../kernel/access.js';
import { isObject } from '../../../kernel/is-object.js';
import type { Db, Tables, Tx } from '../../../platform/database/database.js';
import { findWorkspaceBudget } from '../budget/budgets.service.js';
import { type BuildPolicy, NO_REWORK, POLICY_FIELDS } from './policy.schemas.js';

type Saved = Omit<BuildPolicy, 'budget'>;
const NAMES = Object.keys(POLICY_FIELDS) as (keyof Saved)[];

export function policyStore(db: Db | Tx, brandId: number) {
  return {
    async find(): Promise<BuildPolicy | undefined> {
      const row = await db
        .selectFrom('build_policies')
        .select(NAMES)
        .where('brand_id', '=', brandId)
        .executeTakeFirst();
      if (!row) return undefined;
      const { allow_secrets, ...kept } = row as unknown as Saved;
      const policy = {
        ...kept,
        rework: { ...NO_REWORK, ...kept.rework },
        budget: await findWorkspaceBudget(db, brandId),
      };
      return allow_secrets ? { ...policy, allow_secrets } : policy;
    },

    async save(policy: BuildPolicy, now: Date): Promise<void> {
      const values = Object.fromEntries(
        NAMES.filter((name) => policy[name] !== undefined).map((name) => [name, asColumn(policy[name])]),
      ) as unknown as Pick<Insertable<Tables['build_policies']>, keyof Saved>;
      const row = { ...values, updated_at: now };
      await db
        .insertInto('build_policies')
        .values({ brand_id: brandId, ...row })
        .onConflict((clash) => clash.column('brand_id').doUpdateSet(row))
        .execute();
    },

    /** Serializes new builds of a workspace, so that the counts stay true until the commit. */
    async lockPlan(): Promise<Plan> {
      const { rows } = await sql<{ plan: Plan }>`
        select plan from brands where brand_id = ${brandId} for no key update`.execute(db);
      return rows[0]!.plan;
    },
  };
}

const asColumn = (value: unknown): unknown => (isObject(value) ? JSON.stringify(value) : value);
