import type { MemberCaller, Plan } from '../../../kernel/access.js';
import { DAY, secondsFrom } from '../../../kernel/clock.js';
import { PLAN_TERMS } from '../../../kernel/plans.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { NO_BUDGET, saveWorkspaceBudget } from '../budget/budgets.service.js';
import { abovePlan } from '../builds.errors.js';
import type { BuildDeps } from '../record/build-deps.js';
import { listBuildWeeks } from '../record/build-lists.store.js';
import type { WorkSignal } from '../record/work-signal.js';
import { DEFAULT_CODER, requireReviewer } from './coder-choice.js';
import { type BuildPolicy, type BuildPolicyInput, OPEN_FIELDS } from './policy.schemas.js';
import { policyStore } from './policy.store.js';

export const OPEN_POLICY: BuildPolicy = { ...OPEN_FIELDS, budget: NO_BUDGET };

/** The workspace's own limit, at most that of the plan. */
export const effectiveLimits = (policy: BuildPolicy, plan: Plan) => ({
  open: Math.min(policy.max_open ?? Number.POSITIVE_INFINITY, PLAN_TERMS[plan].openBuilds),
  perDay: Math.min(policy.max_per_day ?? Number.POSITIVE_INFINITY, PLAN_TERMS[plan].buildsPerDay),
});

const WRITERS_DAYS = 30;

/** The coders of recent builds, or the default one. */
async function listWriters(tx: Tx, brandId: number, now: Date): Promise<string[]> {
  const weeks = await listBuildWeeks(tx, brandId, secondsFrom(now, -WRITERS_DAYS * DAY));
  const writers = weeks.flatMap(({ coder, builds }) => (builds > 0 ? [coder] : []));
  return writers.length === 0 ? [DEFAULT_CODER] : [...new Set(writers)];
}

export function createPolicyService({ db, clock, workSignal }: BuildDeps & { workSignal: WorkSignal }) {
  return {
    async getPolicy(brandId: number): Promise<BuildPolicy> {
      return (await policyStore(db, brandId).find()) ?? OPEN_POLICY;
    },

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
        if (policy.enabled && (!before.enabled || input.budget)) workSignal.announce(tx, caller.brandId);
        return (await store.find())!;
      });
    },
  };
}
