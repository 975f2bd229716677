import { useCallback, useMemo, useRef } from 'react';
import type { TileCard } from '../api/boards.js';
import type { Reveal } from './board-column.js';

/** A card that was moved is drawn anew in its column; a few frames pass until it is there. */
const MOST_FRAMES = 40;
/** It may still stand where it was when it first takes the focus: only what stays in place for a while has settled. */
const HELD_FRAMES = 10;

export type Groups = ReadonlyMap<string, TileCard[]>;

export interface CardFocus {
  onReveal(columnId: string, reveal: Reveal | undefined): void;
  /** Puts the focus on a card, wherever it stands by then; where it is gone, on the heading of the page. */
  focusCard(cardId: string): void;
  /** The card that has the focus, or had it last. */
  current(): TileCard | undefined;
  note(cardId: string): void;
}

export function useCardFocus(groups: Groups): CardFocus {
  const latest = useRef(groups);
  latest.current = groups;
  const reveals = useRef(new Map<string, Reveal>());
  const lastId = useRef<string>(undefined);

  const onReveal = useCallback((columnId: string, reveal: Reveal | undefined) => {
    if (reveal) reveals.current.set(columnId, reveal);
    else reveals.current.delete(columnId);
  }, []);

  const focusCard = useCallback((cardId: string) => {
    lastId.current = cardId;
    let frames = MOST_FRAMES;
    let held = 0;
    const tryToFocus = () => {
      if (isOnCard(cardId)) held += 1;
      else if (held > 0 && document.activeElement !== document.body) return;
      else held = takeFocus(latest.current, reveals.current, cardId) ? 1 : 0;
      if (held >= HELD_FRAMES) return;
      if (frames-- > 0) requestAnimationFrame(tryToFocus);
      else if (held === 0) document.querySelector<HTMLElement>('main h1')?.focus();
    };
    requestAnimationFrame(tryToFocus);
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

/** Answers whether the card has the focus now. Under an open dialog nothing can take it. */
function takeFocus(groups: Groups, reveals: Map<string, Reveal>, cardId: string): boolean {
  const found = locate(groups, cardId);
  if (!found || document.querySelector('dialog[open]')) return false;
  reveals.get(found.columnId)?.(found.index);
  const column = document.querySelector(`[data-column-id="${CSS.escape(found.columnId)}"]`);
  const title = column?.querySelector<HTMLElement>(`[data-card="${CSS.escape(cardId)}"] .card-title`);
  if (!column || !title) return false;
  title.focus({ preventScroll: true });
  column.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  return document.activeElement === title;
}

export function locate(groups: Groups, cardId: string): { columnId: string; index: number } | undefined {
  for (const [columnId, cards] of groups) {
    const index = cards.findIndex(({ id }) => id === cardId);
    if (index !== -1) return { columnId, index };
  }
  return undefined;
}
