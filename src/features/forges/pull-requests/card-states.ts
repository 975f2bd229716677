import type { Check, CheckState, Review, ReviewState } from '../adapter/forge.js';

/** One red check is red, whatever else still runs; those of no account say nothing. */
export function checksStateOf(checks: readonly Pick<Check, 'state'>[]): CheckState {
  const states = new Set(checks.map(({ state }) => state));
  if (states.has('failing')) return 'failing';
  if (states.has('pending')) return 'pending';
  return states.has('passing') ? 'passing' : 'none';
}

/** Of each author the last word counts; a mere comment takes nothing back. */
export function standingReviews(reviews: readonly Review[]): Review[] {
  const last = new Map<string, Review>();
  for (const review of reviews) {
    if (review.state === 'commented') continue;
    const before = last.get(review.author);
    if (!before || before.at <= review.at) last.set(review.author, review);
  }
  return [...last.values()];
}

export function reviewStateOf(reviews: readonly Review[], isRequested: boolean): ReviewState {
  const standing = standingReviews(reviews).map(({ state }) => state);
  if (standing.includes('changes_requested')) return 'changes_requested';
  if (standing.includes('approved')) return 'approved';
  return isRequested ? 'requested' : 'none';
}

/** When somebody last asked for changes that are still asked for. */
export const lastAskedForChanges = (reviews: readonly Review[]): string | undefined =>
  standingReviews(reviews)
    .filter(({ state }) => state === 'changes_requested')
    .map(({ at }) => at)
    .toSorted()
    .at(-1);
