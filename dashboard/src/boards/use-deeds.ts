import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { Board, TileCard } from '../api/boards.js';
import { useSession } from '../shell/session.js';
import { copyText } from '../ui/button.js';
import type { MenuItem } from '../ui/menu.js';
import { useToast } from '../ui/toast.js';
import type { Rights } from './board-rights.js';
import { watchDrops } from './card-drag.js';
import { type Neighbour, stepNeighbour } from './card-order.js';
import type { BoardHandle } from './use-board.js';
import { type CardFocus, type Groups, locate } from './use-card-focus.js';

interface DeedOptions {
  board: Board;
  handle: BoardHandle;
  groups: Groups;
  focus: CardFocus;
  rights: Rights;
  open(cardId: string): void;
}

/** Everything that is done to a card on the board, by pointer, key or menu; it keeps the focus on the card. */
export function useDeeds(options: DeedOptions) {
  const latest = useRef(options);
  latest.current = options;
  const { user } = useSession();
  const toast = useToast();
  const { move, apply } = options.handle;
  const { focusCard } = options.focus;

  const moveTo = useCallback(
    (card: TileCard, columnId: string, beside: Neighbour = {}) => {
      const column = latest.current.board.columns.find(({ id }) => id === columnId);
      if (!column || !latest.current.rights.edit) return;
      // Back where it was, if it is refused: the focus follows it there too.
      void move(card, column, beside).then((moved) => !moved && focusCard(card.id));
      focusCard(card.id);
    },
    [move, focusCard],
  );

  const step = useCallback(
    (card: TileCard, by: 1 | -1) => {
      const beside = stepNeighbour(latest.current.groups.get(card.column.id) ?? [], card.id, by);
      if (beside) moveTo(card, card.column.id, beside);
    },
    [moveTo],
  );

  const shift = useCallback(
    (card: TileCard, by: 1 | -1) => {
      const { columns } = latest.current.board;
      const next = columns[columns.findIndex(({ id }) => id === card.column.id) + by];
      if (next) moveTo(card, next.id);
    },
    [moveTo],
  );

  const assignToMe = useCallback(
    (card: TileCard) => {
      if (!latest.current.rights.edit) return;
      const me = { user_id: user.user_id, name: user.full_name };
      const done = `${card.ref} is yours`;
      void apply({ card, body: { assignee: user.user_id }, shown: { assignee: me }, done });
    },
    [apply, user],
  );

  const copyLink = useCallback(
    async (card: Pick<TileCard, 'id' | 'ref'>) => {
      const link = `${location.origin}${location.pathname}?card=${card.id}`;
      if (await copyText(link)) toast({ text: `The link to ${card.ref} is copied` });
      else toast({ text: `The browser copies nothing here. The link is ${link}`, tone: 'error' });
    },
    [toast],
  );

  const items = useCallback(
    (card: TileCard): MenuItem[] => {
      const { board, groups, rights, open } = latest.current;
      const shown = groups.get(card.column.id) ?? [];
      const at = shown.findIndex(({ id }) => id === card.id);
      const top = shown[0];
      const bottom = shown.at(-1);
      const reading: MenuItem[] = [
        { label: 'Open', perform: () => open(card.id) },
        { label: 'Copy link', perform: () => void copyLink(card) },
      ];
      if (!rights.edit) return reading;
      return [
        ...board.columns
          .filter(({ id }) => id !== card.column.id)
          .map((column) => ({ label: `Move to ${column.name}`, perform: () => moveTo(card, column.id) })),
        { label: 'Move up', disabled: at <= 0, perform: () => step(card, -1) },
        { label: 'Move down', disabled: at === shown.length - 1, perform: () => step(card, 1) },
        {
          label: 'Move to the top',
          disabled: at <= 0,
          perform: () => top && moveTo(card, card.column.id, { before: top.id }),
        },
        {
          label: 'Move to the bottom',
          disabled: at === shown.length - 1,
          perform: () => bottom && moveTo(card, card.column.id, { after: bottom.id }),
        },
        { label: 'Assign to me', perform: () => assignToMe(card) },
        ...reading,
      ];
    },
    [assignToMe, copyLink, moveTo, step],
  );

  useEffect(
    () =>
      watchDrops((cardId, columnId, beside) => {
        const { groups, handle } = latest.current;
        const card = handle.find(cardId);
        if (!card) return;
        const last = groups.get(columnId)?.findLast(({ id }) => id !== cardId);
        const named = beside.before ?? beside.after;
        moveTo(card, columnId, named || !last ? beside : { after: last.id });
      }),
    [moveTo],
  );

  const open = useCallback((cardId: string) => latest.current.open(cardId), []);
  const tile = useMemo(() => ({ open, items }), [open, items]);
  return useMemo(
    () => ({ tile, step, shift, assignToMe, copyLink }),
    [tile, step, shift, assignToMe, copyLink],
  );
}

export type Deeds = ReturnType<typeof useDeeds>;

/** The card that lies in a direction from another one. */
export function neighbourOf(board: Board, groups: Groups, cardId: string, key: string): TileCard | undefined {
  const place = locate(groups, cardId);
  if (!place) return undefined;
  const cards = groups.get(place.columnId) ?? [];
  if (key === 'ArrowDown') return cards[place.index + 1];
  if (key === 'ArrowUp') return cards[place.index - 1];
  if (key === 'Home') return cards[0];
  if (key === 'End') return cards.at(-1);
  const by = key === 'ArrowRight' ? 1 : -1;
  const from = board.columns.findIndex(({ id }) => id === place.columnId);
  for (let at = from + by; at >= 0 && at < board.columns.length; at += by) {
    const others = groups.get(board.columns[at]!.id) ?? [];
    if (others.length > 0) return others[Math.min(place.index, others.length - 1)];
  }
  return undefined;
}

/** All cards as they are read: column by column, from the top. */
export function walkCards(board: Board, groups: Groups, cardId: string | undefined, by: 1 | -1) {
  const all = board.columns.flatMap(({ id }) => groups.get(id) ?? []);
  const at = all.findIndex(({ id }) => id === cardId);
  return at === -1 ? all[0] : all[at + by];
}
