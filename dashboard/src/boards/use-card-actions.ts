import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { Board, TileCard } from '../api/boards.js';
import { useSession } from '../shell/session.js';
import { copyText } from '../ui/button.js';
import type { MenuItem } from '../ui/menu.js';
import { useToast } from '../ui/toast.js';
import type { Rights } from './board-rights.js';
import { watchDrops } from './card-drag.js';
import { isNewestFirst, type Neighbour, stepNeighbour } from './card-order.js';
import { cellIdOf, laneChange, splitCellId } from './lanes.js';
import type { Layout } from './layout.js';
import type { Selection } from './selection/use-selection.js';
import type { BoardHandle } from './use-board.js';
import type { CardFocus } from './use-card-focus.js';

interface CardActionOptions {
  board: Board;
  handle: BoardHandle;
  layout: Layout;
  focus: CardFocus;
  rights: Rights;
  selection: Selection;
  open(cardId: string): void;
}

/** Card actions by pointer, keyboard or menu; they keep the focus on the card. */
export function useCardActions(options: CardActionOptions) {
  const latest = useRef(options);
  latest.current = options;
  const { user } = useSession();
  const toast = useToast();
  const { move, apply } = options.handle;
  const { focusCard } = options.focus;

  const moveTo = useCallback(
    (card: TileCard, cellId: string, beside: Neighbour = {}) => {
      const { board, layout, rights } = latest.current;
      const { laneId, columnId } = splitCellId(cellId);
      const column = board.columns.find(({ id }) => id === columnId);
      if (!column || !rights.edit) return;
      const lane = layout.lanes?.find(({ id }) => id === laneId);
      const change = layout.kind && lane && laneChange(layout.kind, card, lane, rights);
      // A refused move puts the card back, so focus it there.
      void move(card, column, isNewestFirst(column) ? {} : beside, change).then(
        (moved) => !moved && focusCard(card.id),
      );
      focusCard(card.id);
    },
    [move, focusCard],
  );

  const step = useCallback(
    (card: TileCard, by: 1 | -1) => {
      const { layout } = latest.current;
      const cellId = layout.cellOf(card);
      const beside = stepNeighbour(layout.groups.get(cellId) ?? [], card.id, by);
      if (beside) moveTo(card, cellId, beside);
    },
    [moveTo],
  );

  const shift = useCallback(
    (card: TileCard, by: 1 | -1) => {
      const { board, layout } = latest.current;
      const next = board.columns[board.columns.findIndex(({ id }) => id === card.column.id) + by];
      if (next) moveTo(card, layout.cellOf(card, next.id));
    },
    [moveTo],
  );

  const changeLane = useCallback(
    (card: TileCard, by: 1 | -1) => {
      const { layout } = latest.current;
      const at = layout.lanes?.findIndex(({ id }) => id === splitCellId(layout.cellOf(card)).laneId) ?? -1;
      const lane = at === -1 ? undefined : layout.lanes?.[at + by];
      if (lane) moveTo(card, cellIdOf(lane.id, card.column.id));
    },
    [moveTo],
  );

  const assignToMe = useCallback(
    (card: TileCard) => {
      if (!latest.current.rights.edit) return;
      const me = { user_id: user.user_id, name: user.full_name };
      const done = `${card.ref} is assigned to you`;
      void apply({ card, body: { assignee: user.user_id }, shown: { assignee: me }, done });
    },
    [apply, user],
  );

  const copyLink = useCallback(
    async (card: Pick<TileCard, 'id' | 'ref'>) => {
      const link = `${location.origin}${location.pathname}?card=${card.id}`;
      if (await copyText(link)) toast({ text: `Link to ${card.ref} copied` });
      else toast({ text: `The browser copies nothing here. The link is ${link}`, tone: 'error' });
    },
    [toast],
  );

  const items = useCallback(
    (card: TileCard): MenuItem[] => {
      const { board, layout, rights, open } = latest.current;
      const cellId = layout.cellOf(card);
      const shown = layout.groups.get(cellId) ?? [];
      const at = shown.findIndex(({ id }) => id === card.id);
      const top = shown[0];
      const bottom = shown.at(-1);
      const reading: MenuItem[] = [
        { label: 'Open', perform: () => open(card.id) },
        { label: 'Copy link', perform: () => void copyLink(card) },
      ];
      if (!rights.edit) return reading;
      const column = board.columns.find(({ id }) => id === card.column.id);
      const isByHand = at !== -1 && column !== undefined && !isNewestFirst(column);
      const ordering: MenuItem[] = [
        { label: 'Move up', disabled: at <= 0, perform: () => step(card, -1) },
        { label: 'Move down', disabled: at === shown.length - 1, perform: () => step(card, 1) },
        {
          label: 'Move to the top',
          disabled: at <= 0,
          perform: () => top && moveTo(card, cellId, { before: top.id }),
        },
        {
          label: 'Move to the bottom',
          disabled: at === shown.length - 1,
          perform: () => bottom && moveTo(card, cellId, { after: bottom.id }),
        },
      ];
      return [
        ...board.columns
          .filter(({ id }) => id !== card.column.id)
          .map((column) => ({
            label: `Move to ${column.name}`,
            perform: () => moveTo(card, layout.cellOf(card, column.id)),
          })),
        ...(layout.lanes
          ? [
              { label: 'To the group above', perform: () => changeLane(card, -1) },
              { label: 'To the group below', perform: () => changeLane(card, 1) },
            ]
          : []),
        ...(isByHand ? ordering : []),
        { label: 'Assign to me', perform: () => assignToMe(card) },
        ...reading,
      ];
    },
    [assignToMe, changeLane, copyLink, moveTo, step],
  );
  useEffect(
    () =>
      watchDrops((cardId, cellId, beside) => {
        const { layout, handle } = latest.current;
        const card = handle.find(cardId);
        if (!card) return;
        const last = layout.groups.get(cellId)?.findLast(({ id }) => id !== cardId);
        const named = beside.before ?? beside.after;
        moveTo(card, cellId, named || !last ? beside : { after: last.id });
      }),
    [moveTo],
  );

  const open = useCallback((cardId: string) => latest.current.open(cardId), []);
  const mark = useCallback((cardId: string, range: boolean) => {
    const { selection } = latest.current;
    if (range) selection.extendTo(cardId);
    else selection.toggle(cardId);
  }, []);
  const tile = useMemo(() => ({ open, items, mark }), [open, items, mark]);
  return useMemo(
    () => ({ tile, step, shift, changeLane, assignToMe, copyLink }),
    [tile, step, shift, changeLane, assignToMe, copyLink],
  );
}

export type CardActions = ReturnType<typeof useCardActions>;
