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
  coder: string;
  profile: string | null;
}

export const DEFAULT_CODER: Coder = 'claude';

/** `listReported` returns the coders that the workspace's desks reported and that are not built in. */
export async function readNames(
  plan: Plan,
  given: { coder?: string; profile?: string },
  listReported: () => Promise<string[]>,
) {
  const coder = given.coder === undefined ? undefined : await requireCoder(plan, given.coder, listReported);
  const profile = given.profile === undefined ? undefined : findIncluded(plan, given.profile);
  if (given.profile !== undefined && !profile) throw unknownProfile(given.profile);
  if (coder && profile && profile.coder !== coder) throw profileOfAnotherCoder(profile.key, coder);
  return { coder, profile };
}

/** The request decides, then the card, then its task type. */
export function chooseCoder(
  plan: Plan,
  asked: Awaited<ReturnType<typeof readNames>>,
  card: { profile: string | undefined; taskType: string },
): CoderChoice {
  if (asked.profile) return { coder: asked.profile.coder, profile: asked.profile.key };
  const own = card.profile === undefined ? undefined : findIncluded(plan, card.profile);
  if (own && (asked.coder === undefined || own.coder === asked.coder))
    return { coder: own.coder, profile: own.key };
  const coder = asked.coder ?? DEFAULT_CODER;
  return { coder, profile: findIncluded(plan, `${coder}.${card.taskType}`)?.key ?? null };
}

async function requireCoder(
  plan: Plan,
  name: string,
  listReported: () => Promise<string[]>,
): Promise<string> {
  const builtIn = findCoder(name);
  const { coders } = PLAN_TERMS[plan];
  if (builtIn && coders.includes(builtIn)) return builtIn;
  const reported = await listReported();
  if (builtIn || !reported.includes(name)) throw unknownCoder(name, [...coders, ...reported]);
  return name;
}

function findIncluded(plan: Plan, key: string) {
  const profile = findProfile(key);
  return profile && PLAN_TERMS[plan].coders.includes(profile.coder) ? profile : undefined;
}

/**
 * Refuses only if all writing coders are of the reviewer's family. `chooseReviewer` decides for each change.
 */
export function requireReviewer(
  plan: Plan,
  { profile: key, same_family }: Reviewer,
  writers: readonly string[],
): void {
  const profile = findProfile(key);
  if (!profile || !PLAN_TERMS[plan].coders.includes(profile.coder)) throw unknownReviewer(key);
  const others = writers.some((coder) => coder !== profile.coder);
  if (!same_family && !others) throw ownFamily(profile.coder);
}

export type ReviewerChoice = { coder: string; profile: string } | { refusal: string };

/** The coder of a local build is unknown, so its family is not compared. */
export function chooseReviewer(
  { profile: key, same_family }: Reviewer,
  { coder, local }: Pick<BuildRow, 'coder' | 'local'>,
): ReviewerChoice {
  const profile = findProfile(key);
  if (!profile) return { refusal: `the profile ${key} is not there any more` };
  if (!same_family && !local && profile.coder === coder)
    return { refusal: `its reviewer is of the family that wrote it (${coder})` };
  return { coder: profile.coder, profile: profile.key };
}
