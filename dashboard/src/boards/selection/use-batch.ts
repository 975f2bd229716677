import { useCallback, useRef } from 'react';
import { type CardChange, type CardOutcome, type CardPatch, changeCards } from '../../api/boards.js';
import { useToast } from '../../ui/toast.js';
import { undoOf } from '../card-state.js';
import { describeFailures, isWhole, nameCards } from './batch-words.js';
import type { CardUpdate, ListedCard } from './listed-card.js';

/** The displayed collection of cards that batch changes update. */
export interface Shelf {
  /** Shows changed fields before the service confirms them; returns a function that reverts them. */
  preview(fields: ReadonlyMap<string, Partial<ListedCard>>): () => void;
  settle(outcomes: readonly CardOutcome[]): void;
}

export type ChangeCards = (
  cards: readonly ListedCard[],
  updateOf: (card: ListedCard) => CardUpdate | undefined,
  words: string,
) => Promise<void>;

/** Changes any number of cards with an optimistic preview, one notification and one undo. */
export function useBatch(shelf: Shelf): ChangeCards {
  const toast = useToast();
  const latest = useRef(shelf);
  latest.current = shelf;

  const undo = useCallback(
    async (cards: readonly ListedCard[], outcomes: readonly CardOutcome[]) => {
      try {
        const undone = await changeCards(outcomes.map(wayBack));
        latest.current.settle(undone);
        const back = undone.filter(isWhole).length;
        const failures = describeFailures(cards, undone);
        const done =
          back > 0 ? `${nameCards(cards.slice(0, back))} ${back === 1 ? 'is' : 'are'} as before.` : '';
        toast({ text: `${done} ${failures}`.trim(), ...(failures && { tone: 'error' as const }) });
      } catch (error) {
        toast({ text: `Not undone: ${(error as Error).message}`, tone: 'error' });
      }
    },
    [toast],
  );

  return useCallback(
    async (cards, updateOf, words) => {
      const updates = cards.flatMap((card) => {
        const update = updateOf(card);
        return update ? [{ card, update }] : [];
      });
      if (updates.length === 0) return;
      const restore = latest.current.preview(
        new Map(updates.map(({ card, update }) => [card.id, update.shown])),
      );
      try {
        const outcomes = await changeCards(updates.map(({ card, update }) => changeOf(card, update)));
        if (!outcomes.every(isWhole)) restore();
        latest.current.settle(outcomes);
        const changed = outcomes.filter((outcome) => Object.keys(outcome.changed).length > 0);
        const failures = describeFailures(cards, outcomes);
        const ids = new Set(changed.map(({ task_id }) => task_id));
        const touched = cards.filter(({ id }) => ids.has(id));
        const done = touched.length > 0 ? `${nameCards(touched)}: ${words}.` : '';
        const text = `${done} ${failures}`.trim();
        if (text === '') return;
        toast({
          text,
          ...(failures && { tone: 'error' as const }),
          ...(touched.length > 0 && {
            action: { label: 'Undo', perform: () => void undo(touched, changed) },
          }),
        });
      } catch (error) {
        restore();
        const stay = updates.length === 1 ? 'was not changed' : 'were not changed';
        toast({
          text: `${nameCards(updates.map(({ card }) => card))} ${stay}: ${(error as Error).message}`,
          tone: 'error',
        });
      }
    },
    [toast, undo],
  );
}

const changeOf = (card: ListedCard, { set, shown }: CardUpdate): CardChange => ({
  task_id: card.id,
  set,
  seen: Object.fromEntries(
    (Object.keys(shown) as (keyof ListedCard)[]).map((name) => [
      name,
      name === 'column' ? card.column.name : card[name],
    ]),
  ),
});

/** Undoes a write field by field and skips fields that changed since. */
const wayBack = (outcome: CardOutcome): CardChange => ({
  task_id: outcome.task_id,
  set: undoOf(outcome) as CardPatch,
  seen: Object.fromEntries(Object.entries(outcome.changed).map(([name, { to }]) => [name, to])),
});
