import { inTransaction } from '../../../database/transaction.js';
import type { MemberCaller, Plan } from '../../../kernel/access.js';
import { PLAN_TERMS } from '../../../kernel/plans.js';
import { recordAudit } from '../../../services/audit.js';
import { abovePlan } from '../builds.errors.js';
import type { BuildOptions } from '../builds.options.js';
import type { BuildPolicy, BuildPolicyInput } from '../builds.schemas.js';
import { policyStore } from './policy.store.js';

export const OPEN_POLICY: BuildPolicy = {
  enabled: true,
  max_open: null,
  max_per_day: null,
  max_minutes: null,
};

/** What counts: the workspace's own number where it has one, and never more than the plan's of today. */
export const effectiveLimits = (policy: BuildPolicy, plan: Plan) => ({
  open: Math.min(policy.max_open ?? Number.POSITIVE_INFINITY, PLAN_TERMS[plan].openBuilds),
  perDay: Math.min(policy.max_per_day ?? Number.POSITIVE_INFINITY, PLAN_TERMS[plan].buildsPerDay),
});

export function createPolicyService({ db, clock }: Pick<BuildOptions, 'db' | 'clock'>) {
  return {
    async getPolicy(brandId: number): Promise<BuildPolicy> {
      return (await policyStore(db, brandId).find()) ?? OPEN_POLICY;
    },

    /** The whole policy: what is left out is as it is without one. */
    async setPolicy(caller: MemberCaller, input: BuildPolicyInput): Promise<BuildPolicy> {
      const policy = { ...OPEN_POLICY, ...input };
      const now = clock.now();
      return inTransaction(db, async (tx) => {
        const store = policyStore(tx, caller.brandId);
        const { openBuilds, buildsPerDay } = PLAN_TERMS[await store.lockPlan()];
        if ((policy.max_open ?? 0) > openBuilds) throw abovePlan('max_open', openBuilds);
        if ((policy.max_per_day ?? 0) > buildsPerDay) throw abovePlan('max_per_day', buildsPerDay);
        await store.save(policy, now);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'build-policy.changed',
          subject: `brand:${caller.brandId}`,
          details: policy,
          at: now,
        });
        return policy;
      });
    },
  };
}
