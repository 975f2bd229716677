import type { MemberCaller, Plan } from '../../../kernel/access.js';
import { actorIdsOf, showActor } from '../../../kernel/actors.js';
import type { Clock } from '../../../kernel/clock.js';
import { FEATURES, type Feature, PLAN_TERMS } from '../../../kernel/plans.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import { featureNotIncluded } from '../workspaces.errors.js';
import type { Features, Switch } from '../workspaces.schemas.js';
import { type Choice, featureSwitchStore, type WorkspaceFacts } from './feature-switches.store.js';

const HELD_THINGS: Record<Feature, string> = {
  skills: 'installed_packages',
  feed: 'feed_sources',
  machines: 'machines',
  crm: 'crm_boards',
};

export const isIncluded = (feature: Feature, plan: Plan): boolean =>
  PLAN_TERMS[plan].included.includes(feature);

export function deriveFeatures({ plan, new_navigation, holds, choices }: WorkspaceFacts): Features {
  const describe = (feature: Feature): Switch => {
    const choice = choices[feature];
    return {
      ...derivePosition(feature, plan, choice, holds[feature]),
      changed_by: choice ? showActor(choice.by) : null,
      changed_at: choice ? choice.changed_at.toISOString() : null,
      holds: { [HELD_THINGS[feature]]: holds[feature] },
    };
  };
  const switches = Object.fromEntries(FEATURES.map((feature) => [feature, describe(feature)]));
  return { new_navigation, switches: switches as Features['switches'] };
}

/** Assumes that the feature has content. */
export const isShown = (feature: Feature, plan: Plan, choice: Pick<Choice, 'on'> | undefined): boolean =>
  derivePosition(feature, plan, choice, 1).on;

type Position = Pick<Switch, 'on' | 'locked_by_plan' | 'source'>;

function derivePosition(
  feature: Feature,
  plan: Plan,
  choice: Pick<Choice, 'on'> | undefined,
  held: number,
): Position {
  if (!isIncluded(feature, plan))
    return { on: false, locked_by_plan: true, source: choice ? 'admin' : 'plan_default' };
  if (choice) return { on: choice.on, locked_by_plan: false, source: 'admin' };
  if (PLAN_TERMS[plan].onByDefault.includes(feature))
    return { on: true, locked_by_plan: false, source: 'plan_default' };
  if (held > 0) return { on: true, locked_by_plan: false, source: 'data_default' };
  return { on: false, locked_by_plan: false, source: 'plan_default' };
}

export type FeatureSwitchService = ReturnType<typeof createFeatureSwitchService>;

export function createFeatureSwitchService({ db, clock }: { db: Db; clock: Clock }) {
  return {
    async readFeatures(brandId: number): Promise<Features> {
      return deriveFeatures(await featureSwitchStore(db, brandId).readFacts());
    },

    async isShown(brandId: number, feature: Feature): Promise<boolean> {
      const { plan, choice } = await featureSwitchStore(db, brandId).readChoice(feature);
      return isShown(feature, plan, choice);
    },

    changeFeature(caller: MemberCaller, feature: Feature, on: boolean): Promise<Features> {
      return inTransaction(db, async (tx) => {
        const store = featureSwitchStore(tx, caller.brandId);
        const plan = await store.lockPlan();
        if (on && !isIncluded(feature, plan)) throw featureNotIncluded();
        const at = clock.now();
        await store.setChoice(feature, on, actorIdsOf(caller), at);
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'feature.changed',
          subject: `feature:${feature}`,
          details: { on },
          at,
        });
        return deriveFeatures(await store.readFacts());
      });
    },
  };
}
