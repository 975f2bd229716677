import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLANS } from '../../../kernel/access.js';
import { FEATURES, type Feature } from '../../../kernel/plans.js';
import { deriveFeatures } from './feature-switches.service.js';
import type { Choice } from './feature-switches.store.js';

const at = new Date('2026-11-14T09:30:00Z');
const choice = (on: boolean): Choice => ({
  on,
  by: { user_id: 7, person: 'Ada', agent_id: null, agent: null },
  changed_at: at,
});
const none = { skills: 0, feed: 0, machines: 0, crm: 0 };

const INCLUDED: Record<string, Feature[]> = {
  free: ['skills', 'feed'],
  team: ['skills', 'feed', 'machines'],
  business: [...FEATURES],
  enterprise: [...FEATURES],
};
const ON_BY_DEFAULT: Record<string, Feature[]> = {
  free: ['skills', 'feed'],
  team: ['skills', 'feed', 'machines'],
  business: ['skills', 'feed', 'machines'],
  enterprise: ['skills', 'feed', 'machines'],
};

describe('Feature switch', () => {
  it("follows the plan, then the admin's choice, then the plan default, then the data", () => {
    const anyCount = fc.nat({ max: 3 });
    const anyChoice = fc.option(fc.boolean(), { nil: undefined });
    fc.assert(
      fc.property(
        fc.constantFrom(...PLANS),
        fc.constantFrom(...FEATURES),
        anyChoice,
        anyCount,
        (plan, key, on, held) => {
          const choices = on === undefined ? {} : { [key]: choice(on) };
          const facts = { plan, new_navigation: true, holds: { ...none, [key]: held }, choices };
          const { [key]: found } = deriveFeatures(facts).switches;
          const included = INCLUDED[plan]!.includes(key);
          const byDefault = ON_BY_DEFAULT[plan]!.includes(key);
          const position = !included
            ? [false, on === undefined ? 'plan_default' : 'admin']
            : on !== undefined
              ? [on, 'admin']
              : byDefault
                ? [true, 'plan_default']
                : [held > 0, held > 0 ? 'data_default' : 'plan_default'];
          expect([found.on, found.source]).toEqual(position);
          expect(found.locked_by_plan).toBe(!included);
        },
      ),
    );
  });
});
