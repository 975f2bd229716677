import { useCallback, useMemo, useRef } from 'react';
import type { TileCard } from '../api/boards.js';
import type { Reveal } from './card-cell.js';
import { type Groups, splitCellId } from './lanes.js';

/** A card that was moved is drawn anew in its column; a few frames pass until it is there. */
const MOST_FRAMES = 40;
/** It may still stand where it was when it first takes the focus: only what stays in place for a while has settled. */
const HELD_FRAMES = 10;

export interface CardFocus<C = TileCard> {
  onReveal(cellId: string, reveal: Reveal | undefined): void;
  /** Puts the focus on a card, wherever it stands by then; where it is gone, on the heading of the page. */
  focusCard(cardId: string): void;
  /** The card that has the focus, or had it last. */
  current(): C | undefined;
  note(cardId: string): void;
}

export function useCardFocus<C extends { id: string }>(groups: Groups<C>): CardFocus<C> {
  const latest = useRef(groups);
  latest.current = groups;
  const reveals = useRef(new Map<string, Reveal>());
  const lastId = useRef<string>(undefined);

  const onReveal = useCallback((cellId: string, reveal: Reveal | undefined) => {
    if (reveal) reveals.current.set(cellId, reveal);
    else reveals.current.delete(cellId);
  }, []);

  const focusCard = useCallback((cardId: string) => {
    lastId.current = cardId;
    let frames = MOST_FRAMES;
    let held = 0;
    const tryToFocus = () => {
      // Somebody has gone on to another card.
      if (lastId.current !== cardId) return;
      if (isOnCard(cardId)) held += 1;
      else if (held > 0 && document.activeElement !== document.body) return;
      else held = takeFocus(latest.current, reveals.current, cardId) ? 1 : 0;
      if (held >= HELD_FRAMES) return;
      if (frames-- > 0) requestAnimationFrame(tryToFocus);
      else if (held === 0) document.querySelector<HTMLElement>('main h1')?.focus();
    };
    // At once where it can be: whoever holds an arrow down is faster than the frames of a busy machine.
    tryToFocus();
  }, []);

  const current = useCallback(() => {
    const focused = document.activeElement?.closest('[data-card]')?.getAttribute('data-card');
    const cardId = focused ?? lastId.current;
    if (!cardId) return undefined;
    return [...latest.current.values()].flat().find(({ id }) => id === cardId);
  }, []);

  const note = useCallback((cardId: string) => {
    lastId.current = cardId;
  }, []);

  return useMemo(() => ({ onReveal, focusCard, current, note }), [onReveal, focusCard, current, note]);
}

const isOnCard = (cardId: string): boolean =>
  document.activeElement?.closest('[data-card]')?.getAttribute('data-card') === cardId;

/** Brings a lane into the page, by its place. */
export const LANES = 'lanes';

function laneAt(groups: Groups<unknown>, cellId: string): number {
  const lanes = [...new Set([...groups.keys()].map((id) => splitCellId(id).laneId))];
  return lanes.indexOf(splitCellId(cellId).laneId);
}

/** Answers whether the card has the focus now. Under an open dialog nothing can take it. */
function takeFocus(groups: Groups<{ id: string }>, reveals: Map<string, Reveal>, cardId: string): boolean {
  const found = locate(groups, cardId);
  if (!found || document.querySelector('dialog[open]')) return false;
  const cell = document.querySelector(`[data-cell="${CSS.escape(found.cellId)}"]`);
  // A lane that is out of sight has to come into it first.
  if (!cell) reveals.get(LANES)?.(laneAt(groups, found.cellId));
  reveals.get(found.cellId)?.(found.index);
  const title =
    cell?.querySelector<HTMLElement>(`[data-card="${CSS.escape(cardId)}"] [data-title]`) ??
    cell?.querySelector<HTMLElement>('[data-unfold]');
  if (!cell || !title) return false;
  title.focus({ preventScroll: true });
  cell.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  return document.activeElement === title;
}

export function locate(
  groups: Groups<{ id: string }>,
  cardId: string,
): { cellId: string; index: number } | undefined {
  for (const [cellId, cards] of groups) {
    const index = cards.findIndex(({ id }) => id === cardId);
    if (index !== -1) return { cellId, index };
  }
  return undefined;
}
