import type { MemberCaller, Plan } from '../../../kernel/access.js';
import { DAY, secondsFrom } from '../../../kernel/clock.js';
import { type Coder, PLAN_TERMS } from '../../../kernel/plans.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { NO_BUDGET, saveWorkspaceBudget } from '../budget/budgets.service.js';
import { abovePlan } from '../builds.errors.js';
import type { WorkBell } from '../record/build-news.js';
import type { BuildOptions } from '../record/builds.options.js';
import { listBuildWeeks } from '../record/figures.store.js';
import { DEFAULT_CODER } from './coder-choice.js';
import { type BuildPolicy, type BuildPolicyInput, OPEN_FIELDS } from './policy.schemas.js';
import { policyStore } from './policy.store.js';
import { requireReviewer } from './reviewer-choice.js';

export const OPEN_POLICY: BuildPolicy = { ...OPEN_FIELDS, budget: NO_BUDGET };

/** What counts: the workspace's own number where it has one, and never more than the plan's of today. */
export const effectiveLimits = (policy: BuildPolicy, plan: Plan) => ({
  open: Math.min(policy.max_open ?? Number.POSITIVE_INFINITY, PLAN_TERMS[plan].openBuilds),
  perDay: Math.min(policy.max_per_day ?? Number.POSITIVE_INFINITY, PLAN_TERMS[plan].buildsPerDay),
});

const WRITERS_DAYS = 30;

/** The coders that write changes in a workspace: those of its builds of late, and without any the one that builds by default. */
async function listWriters(tx: Tx, brandId: number, now: Date): Promise<Coder[]> {
  const weeks = await listBuildWeeks(tx, brandId, secondsFrom(now, -WRITERS_DAYS * DAY));
  const writers = weeks.flatMap(({ coder, builds }) => (builds > 0 ? [coder as Coder] : []));
  return writers.length === 0 ? [DEFAULT_CODER] : [...new Set(writers)];
}

export function createPolicyService({
  db,
  clock,
  bell,
}: Pick<BuildOptions, 'db' | 'clock'> & { bell: Pick<WorkBell, 'announce'> }) {
  return {
    async getPolicy(brandId: number): Promise<BuildPolicy> {
      return (await policyStore(db, brandId).find()) ?? OPEN_POLICY;
    },

    /** What is left out stays as it is. */
    async setPolicy(caller: MemberCaller, input: BuildPolicyInput): Promise<BuildPolicy> {
      const now = clock.now();
      return inTransaction(db, async (tx) => {
        const store = policyStore(tx, caller.brandId);
        const plan = await store.lockPlan();
        const { openBuilds, buildsPerDay } = PLAN_TERMS[plan];
        if ((input.max_open ?? 0) > openBuilds) throw abovePlan('max_open', openBuilds);
        if ((input.max_per_day ?? 0) > buildsPerDay) throw abovePlan('max_per_day', buildsPerDay);
        if (input.reviewer) requireReviewer(plan, input.reviewer, await listWriters(tx, caller.brandId, now));
        const before = (await store.find()) ?? OPEN_POLICY;
        const policy = {
          ...before,
          ...input,
          rework: { ...before.rework, ...input.rework },
          budget: { ...before.budget, ...input.budget },
        };
        await store.save(policy, now);
        if (input.budget) await saveWorkspaceBudget(tx, caller.brandId, policy.budget, now);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'build-policy.changed',
          subject: `brand:${caller.brandId}`,
          details: policy,
          at: now,
        });
        // What waited for this has desks that wait for it.
        if (policy.enabled && (!before.enabled || input.budget)) bell.announce(tx, caller.brandId);
        return (await store.find())!;
      });
    },
  };
}
