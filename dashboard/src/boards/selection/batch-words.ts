import type { CardOutcome } from '../../api/boards.js';
import { countOf, plainWords } from '../../ui/display.js';

const MOST_NAMED = 3;

type Named = { id: string; ref: string };

/** Whether all requested changes of a card were applied. */
export const isWhole = ({ refused, kept }: CardOutcome): boolean => refused === null && kept.length === 0;

/** Returns `NAV-3` for one card and `12 cards` for more. */
export const nameCards = (cards: readonly Named[]): string =>
  cards.length === 1 ? cards[0]!.ref : countOf(cards.length, 'card');

/** One sentence per reason, naming the cards that were not changed as requested. */
export function describeFailures(cards: readonly Named[], outcomes: readonly CardOutcome[]): string {
  const refs = new Map(cards.map(({ id, ref }) => [id, ref]));
  const byReason = new Map<string, string[]>();
  for (const outcome of outcomes) {
    if (isWhole(outcome)) continue;
    const reason =
      outcome.refused ?? `someone changed ${outcome.kept.map(plainWords).join(' and ')} meanwhile`;
    byReason.set(reason, [...(byReason.get(reason) ?? []), refs.get(outcome.task_id) ?? outcome.task_id]);
  }
  return [...byReason].map(([reason, names]) => `${listed(names)} not: ${reason}.`).join(' ');
}

function listed(names: string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}
