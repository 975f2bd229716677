import type { Plan } from '../../../kernel/access.js';
import { type Coder, PLAN_TERMS } from '../../../kernel/plans.js';
import { findCoder, findProfile } from '../../coder-profiles/index.js';
import { profileOfAnotherCoder, unknownCoder, unknownProfile } from '../builds.errors.js';

export interface CoderChoice {
  coder: Coder;
  profile: string | null;
}

/** Builds where nobody names a coder. */
export const DEFAULT_CODER: Coder = 'claude';

/** What a body names is judged before anything is looked up. */
export function readNames(plan: Plan, given: { coder?: string; profile?: string }) {
  const coder = given.coder === undefined ? undefined : findIncludedCoder(plan, given.coder);
  if (given.coder !== undefined && !coder) throw unknownCoder(given.coder);
  const profile = given.profile === undefined ? undefined : findIncluded(plan, given.profile);
  if (given.profile !== undefined && !profile) throw unknownProfile(given.profile);
  if (coder && profile && profile.coder !== coder) throw profileOfAnotherCoder(profile.key, coder);
  return { coder, profile };
}

/** Who builds, and with which profile: as asked, else as the card says, else by the card's task type. */
export function chooseCoder(
  plan: Plan,
  asked: ReturnType<typeof readNames>,
  card: { profile: string | undefined; taskType: string },
): CoderChoice {
  if (asked.profile) return { coder: asked.profile.coder, profile: asked.profile.key };
  const own = card.profile === undefined ? undefined : findIncluded(plan, card.profile);
  if (own && (asked.coder === undefined || own.coder === asked.coder))
    return { coder: own.coder, profile: own.key };
  const coder = asked.coder ?? DEFAULT_CODER;
  return { coder, profile: findIncluded(plan, `${coder}.${card.taskType}`)?.key ?? null };
}

function findIncludedCoder(plan: Plan, name: string): Coder | undefined {
  const coder = findCoder(name);
  return coder && PLAN_TERMS[plan].coders.includes(coder) ? coder : undefined;
}

function findIncluded(plan: Plan, key: string) {
  const profile = findProfile(key);
  return profile && PLAN_TERMS[plan].coders.includes(profile.coder) ? profile : undefined;
}
