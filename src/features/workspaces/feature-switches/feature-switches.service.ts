import type { MemberCaller } from '../../../kernel/access.js';
import { actorIdsOf } from '../../../kernel/actors.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Feature } from '../../../kernel/plans.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db } from '../../../platform/database/database.js';
import { featureNotIncluded } from '../workspaces.errors.js';
import { deriveFeatures, isIncluded, isShown } from './feature-switches.rules.js';
import type { Features } from './feature-switches.schemas.js';
import { featureSwitchStore } from './feature-switches.store.js';

export type FeatureSwitchService = ReturnType<typeof createFeatureSwitchService>;

export function createFeatureSwitchService({ db, clock }: { db: Db; clock: Clock }) {
  return {
    async readFeatures(brandId: number): Promise<Features> {
      return deriveFeatures(await featureSwitchStore(db, brandId).readFacts());
    },

    /** Whether what a feature holds is shown, where it holds anything: nothing is counted. */
    async isShown(brandId: number, feature: Feature): Promise<boolean> {
      const { plan, choice } = await featureSwitchStore(db, brandId).readChoice(feature);
      return isShown(feature, plan, choice);
    },

    /** Hides or shows a feature; what it holds stays. */
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
