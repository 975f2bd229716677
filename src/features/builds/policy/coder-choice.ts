import type { Plan } from '../../../kernel/access.js';
import { type Coder, PLAN_TERMS } from '../../../kernel/plans.js';
import { findCoder, findProfile } from '../../coder-profiles/index.js';
import {
  ownFamily,
  profileOfAnotherCoder,
  unknownCoder,
  unknownProfile,
  unknownReviewer,
} from '../builds.errors.js';
import type { BuildRow } from '../record/builds.store.js';
import type { Reviewer } from '../review.schemas.js';

export interface CoderChoice {
  coder: Coder;
  profile: string | null;
}

export const DEFAULT_CODER: Coder = 'claude';

/** Validates the names before any lookup. */
export function readNames(plan: Plan, given: { coder?: string; profile?: string }) {
  const coder = given.coder === undefined ? undefined : findIncludedCoder(plan, given.coder);
  if (given.coder !== undefined && !coder) throw unknownCoder(given.coder);
  const profile = given.profile === undefined ? undefined : findIncluded(plan, given.profile);
  if (given.profile !== undefined && !profile) throw unknownProfile(given.profile);
  if (coder && profile && profile.coder !== coder) throw profileOfAnotherCoder(profile.key, coder);
  return { coder, profile };
}

/** The request decides, then the card, then its task type. */
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

/** Models of one vendor tend to overlook the same mistakes. */
const FAMILIES: Record<Coder, string> = {
  claude: 'claude',
  codex: 'codex',
  openhands: 'openhands',
  opencode: 'opencode',
  pi: 'pi',
};

/**
 * Refuses only if all writing coders are of the reviewer's family. `chooseReviewer` decides for each change.
 */
export function requireReviewer(
  plan: Plan,
  { profile: key, same_family }: Reviewer,
  writers: readonly Coder[],
): void {
  const profile = findProfile(key);
  if (!profile || !PLAN_TERMS[plan].coders.includes(profile.coder)) throw unknownReviewer(key);
  const others = writers.some((coder) => FAMILIES[coder] !== FAMILIES[profile.coder]);
  if (!same_family && !others) throw ownFamily(profile.coder);
}

export type ReviewerChoice = { coder: Coder; profile: string } | { refusal: string };

/** The coder of a local build is unknown, so its family is not compared. */
export function chooseReviewer(
  { profile: key, same_family }: Reviewer,
  { coder, local }: Pick<BuildRow, 'coder' | 'local'>,
): ReviewerChoice {
  const profile = findProfile(key);
  if (!profile) return { refusal: `the profile ${key} is not there any more` };
  if (!same_family && !local && FAMILIES[profile.coder] === FAMILIES[coder])
    return { refusal: `its reviewer is of the family that wrote it (${coder})` };
  return { coder: profile.coder, profile: profile.key };
}
