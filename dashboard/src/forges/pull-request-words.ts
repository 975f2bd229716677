import type { PullCheck, PullRequest, PullReview } from '../api/forges.js';
import type { Tone } from '../ui/format.js';

type CheckState = PullCheck['state'];

const STATE_TONES: Record<string, Tone> = { draft: 'plain', open: 'info', merged: 'accent', closed: 'bad' };

export const toneOfState = (state: string | null): Tone => STATE_TONES[state ?? ''] ?? 'info';

const CHECK_TONES: Record<string, Tone> = { passing: 'good', failing: 'bad', pending: 'warn', none: 'plain' };

/** The field accepts any text; unknown states are neutral. */
export const toneOfChecks = (state: string): Tone => CHECK_TONES[state] ?? 'plain';

export const CHECK_WORDS: Record<CheckState, string> = {
  failing: 'failing',
  pending: 'pending',
  passing: 'passing',
  none: 'skipped',
};

/** Returns `checks failing` for a known state and the plain text for others. */
export const checksWords = (state: string): string | undefined => {
  if (state === 'none') return undefined;
  return state in CHECK_TONES ? `checks ${state}` : state.replaceAll('_', ' ');
};

const REVIEW_MARKS: Record<string, { words: string; tone: Tone }> = {
  requested: { words: 'review requested', tone: 'plain' },
  changes_requested: { words: 'changes requested', tone: 'warn' },
  approved: { words: 'approved', tone: 'good' },
};

/** Review states that deserve a badge. */
export const reviewMark = (state: string | null): { words: string; tone: Tone } | undefined =>
  REVIEW_MARKS[state ?? ''];

export const REVIEW_WORDS: Record<PullReview['state'], string> = {
  approved: 'approved',
  changes_requested: 'asked for changes',
  commented: 'commented',
  dismissed: 'was dismissed',
};

export const REVIEW_TONES: Record<PullReview['state'], Tone> = {
  approved: 'good',
  changes_requested: 'warn',
  commented: 'plain',
  dismissed: 'plain',
};

const ORDER: readonly CheckState[] = ['failing', 'pending', 'passing', 'none'];

export const sortChecks = (checks: readonly PullCheck[]): PullCheck[] =>
  [...checks].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));

export function describeChecks(checks: readonly PullCheck[]): string {
  if (checks.length === 0) return 'No checks ran.';
  const counts = ORDER.flatMap((state) => {
    const count = checks.filter((check) => check.state === state).length;
    return count > 0 ? [`${count} ${CHECK_WORDS[state]}`] : [];
  });
  return counts.join(', ');
}

export const isUnderWay = ({ state }: Pick<PullRequest, 'state'>): boolean =>
  state === 'open' || state === 'draft';

export function describeNextStep({
  state,
  mergeable,
}: Pick<PullRequest, 'state' | 'mergeable'>): string | undefined {
  if (state === 'closed') return 'It was closed without a merge.';
  if (state === 'merged') return undefined;
  if (mergeable === false) return undefined;
  return 'The card is done when it is merged.';
}

/** Parses a pull request number or URL; undefined for empty text. */
export function readTie(text: string): { number: number } | { url: string } | undefined {
  const wish = text.trim();
  const number = /^[#!]?(\d{1,10})$/.exec(wish)?.[1];
  if (number) return { number: Number(number) };
  return wish ? { url: wish } : undefined;
}
