import { useCallback, useMemo, useRef } from 'react';
import type { TileCard } from '../api/boards.js';
import type { Reveal } from './card-cell.js';
import { type Groups, splitCellId } from './lanes.js';

/** A moved card is rendered again in its new column, which can take several frames. */
const MOST_FRAMES = 40;
/** The card may take the focus before it moves, so it must keep the focus for this many frames. */
const HELD_FRAMES = 10;

export interface CardFocus<C = TileCard> {
  onReveal(cellId: string, reveal: Reveal | undefined): void;
  /** Focuses a card in its current position, or the page heading if the card is gone. */
  focusCard(cardId: string): void;
  /** The focused card, or the last focused one. */
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
      // The user has moved the focus to another card.
      if (lastId.current !== cardId) return;
      if (isOnCard(cardId)) held += 1;
      else if (held > 0 && document.activeElement !== document.body) return;
      else held = takeFocus(latest.current, reveals.current, cardId) ? 1 : 0;
      if (held >= HELD_FRAMES) return;
      if (frames-- > 0) requestAnimationFrame(tryToFocus);
      else if (held === 0) document.querySelector<HTMLElement>('main h1')?.focus();
    };
    // Try immediately: with an arrow key held down, key events arrive faster than frames on a slow machine.
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

/** Key of the callback that scrolls to a swimlane by its index. */
export const LANES = 'lanes';

function laneAt(groups: Groups<unknown>, cellId: string): number {
  const lanes = [...new Set([...groups.keys()].map((id) => splitCellId(id).laneId))];
  return lanes.indexOf(splitCellId(cellId).laneId);
}

/** Returns whether the card now has the focus. An open dialog prevents that. */
function takeFocus(groups: Groups<{ id: string }>, reveals: Map<string, Reveal>, cardId: string): boolean {
  const found = locate(groups, cardId);
  if (!found || document.querySelector('dialog[open]')) return false;
  const cell = document.querySelector(`[data-cell="${CSS.escape(found.cellId)}"]`);
  // A swimlane outside the viewport must be mounted first.
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
