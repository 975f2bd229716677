import type { Plan } from '../../../kernel/access.js';
import { type ActorNames, showActor } from '../../../kernel/actors.js';
import { FEATURES, type Feature, PLAN_TERMS } from '../../../kernel/plans.js';
import type { Features, Switch } from './feature-switches.schemas.js';

/** What an admin set, when, and who. */
export interface Choice {
  on: boolean;
  by: ActorNames;
  changed_at: Date;
}

export interface WorkspaceFacts {
  plan: Plan;
  new_navigation: boolean;
  holds: Record<Feature, number>;
  choices: Partial<Record<Feature, Choice>>;
}

const HELD_THINGS: Record<Feature, string> = {
  skills: 'installed_packages',
  feed: 'feed_sources',
  machines: 'machines',
  crm: 'crm_boards',
};

export const isIncluded = (feature: Feature, plan: Plan): boolean =>
  PLAN_TERMS[plan].included.includes(feature);

/** The switches as plan, data and admins leave them. */
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

/** Whether what a feature holds is shown, where it holds anything. */
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
