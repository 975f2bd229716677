import type { Plan } from '../../../kernel/access.js';
import { type Coder, PLAN_TERMS } from '../../../kernel/plans.js';
import { findProfile } from '../../coder-profiles/index.js';
import { ownFamily, unknownReviewer } from '../builds.errors.js';
import type { BuildRow } from '../record/builds.store.js';
import type { Reviewer } from '../reviewer.schemas.js';

/** Programs of one maker judge alike: what one overlooks the other does too. */
const FAMILIES: Record<Coder, string> = {
  claude: 'claude',
  codex: 'codex',
  openhands: 'openhands',
  opencode: 'opencode',
  pi: 'pi',
};

/**
 * Refused where every coder that writes changes here is of the reviewer's family. Where several families write, each change
 * is judged when it is there: `chooseReviewer`.
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

/** Who reads a build, or why nobody does. Whose coder worked on a person's own machine nobody knows. */
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
