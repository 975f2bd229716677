import { type KeyboardEvent, useMemo, useRef } from 'react';
import { type Board, type Column, listOpenBuilds } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { type Command, useCommands } from '../shell/commands.js';
import { useIsGuest } from '../shell/session.js';
import { BoardColumn, FoldedColumn } from './board-column.js';
import { BoardLanes } from './board-lanes.js';
import type { Rights } from './board-rights.js';
import type { CellParts } from './card-cell.js';
import { type Layout, stepFrom } from './layout.js';
import type { Selection } from './selection/use-selection.js';
import { countSubTasks } from './sub-tasks.js';
import type { BoardHandle } from './use-board.js';
import type { CardActions } from './use-card-actions.js';
import type { CardFocus } from './use-card-focus.js';
import type { Directory } from './use-directory.js';

interface ColumnsProps {
  board: Board;
  handle: BoardHandle;
  layout: Layout;
  rights: Rights;
  focus: CardFocus;
  actions: CardActions;
  selection: Selection;
  directory: Directory;
  isCollapsed(column: Column): boolean;
  onAdd(column: Column): void;
  onFold(column: Column): void;
}

const BUILDS_POLL_MS = 20_000;
const WALKING = ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End'];

export function BoardColumns(props: ColumnsProps) {
  const { board, handle, layout, rights, focus, actions, selection, directory, isCollapsed } = props;
  const { onAdd, onFold } = props;
  const isGuest = useIsGuest();
  const builds = useResource(isGuest ? null : 'builds:open', listOpenBuilds, { pollMs: BUILDS_POLL_MS });
  const subTasks = useMemo(() => countSubTasks(handle.cards.data ?? []), [handle.cards.data]);
  const { agentNames } = directory;
  const counts = useMemo(() => countByColumn(handle.cards.data ?? []), [handle.cards.data]);
  const parts = useMemo<CellParts>(
    () => ({
      builds: builds.data,
      agentNames,
      subTasks,
      selected: selection.ids,
      rights,
      actions: actions.tile,
      onReveal: focus.onReveal,
    }),
    [builds.data, agentNames, subTasks, selection.ids, rights, actions.tile, focus.onReveal],
  );
  useCardCommands(props);
  const onKeyDown = useCardKeys(props);
  const shownIn = (columnId: string) => layout.columns.get(columnId)?.length ?? 0;
  const hiddenIn = (columnId: string) => (counts.get(columnId) ?? 0) - shownIn(columnId);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the cards inside
    <div
      className={layout.lanes ? 'columns columns-in-lanes' : 'columns'}
      data-selecting={selection.ids.size > 0 || undefined}
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        const cardId = event.target.closest('[data-card]')?.getAttribute('data-card');
        if (cardId) focus.note(cardId);
      }}
    >
      {layout.lanes ? (
        <BoardLanes
          board={board}
          lanes={layout.lanes}
          groups={layout.groups}
          shownIn={shownIn}
          hiddenIn={hiddenIn}
          parts={parts}
          isCollapsed={isCollapsed}
          onAdd={onAdd}
          onFold={onFold}
        />
      ) : (
        board.columns.map((column) => {
          const cards = layout.groups.get(column.id) ?? [];
          return isCollapsed(column) ? (
            <FoldedColumn
              key={column.id}
              column={column}
              cards={cards}
              edit={rights.edit}
              onUnfold={onFold}
            />
          ) : (
            <BoardColumn
              key={column.id}
              column={column}
              cards={cards}
              hidden={hiddenIn(column.id)}
              parts={parts}
              onAdd={onAdd}
              onFold={onFold}
            />
          );
        })
      )}
    </div>
  );
}

type KeyParts = Pick<ColumnsProps, 'handle' | 'layout' | 'rights' | 'focus' | 'actions' | 'selection'>;

/** Arrow keys move the focus; with Shift they extend the selection, with Alt they move the card. */
export function useCardKeys({ handle, layout, rights, focus, actions, selection }: KeyParts) {
  return (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const cardId = target.closest('[data-card]')?.getAttribute('data-card');
    if (!cardId || !target.matches('[data-title]') || event.ctrlKey || event.metaKey) return;
    if (!WALKING.includes(event.key)) return;
    event.preventDefault();
    const card = handle.find(cardId);
    if (!card) return;
    const isUpright = event.key === 'ArrowUp' || event.key === 'ArrowDown';
    const by = event.key === 'ArrowUp' || event.key === 'ArrowLeft' ? -1 : 1;
    if (event.altKey && event.shiftKey) {
      if (isUpright) actions.changeLane(card, by);
    } else if (event.altKey) {
      if (isUpright) actions.step(card, by);
      else actions.shift(card, by);
    } else {
      const next = layout.neighbourOf(cardId, event.key);
      if (!next) return;
      if (event.shiftKey && rights.edit) selection.add([cardId, next.id]);
      focus.focusCard(next.id);
    }
  };
}

function countByColumn(cards: readonly { column: { id: string }; archived: boolean }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { column, archived } of cards)
    if (!archived) counts.set(column.id, (counts.get(column.id) ?? 0) + 1);
  return counts;
}

export function useCardCommands({
  layout,
  focus,
  actions,
  rights,
}: Pick<ColumnsProps, 'layout' | 'focus' | 'actions' | 'rights'>): void {
  const latest = useRef(layout);
  latest.current = layout;
  const hasLanes = layout.lanes !== undefined;
  const commands = useMemo(() => {
    const group = 'Board';
    const onCard = (perform: (card: NonNullable<ReturnType<CardFocus['current']>>) => void) => () => {
      const card = focus.current();
      if (card) perform(card);
    };
    const walk = (by: 1 | -1) => () => {
      const next = stepFrom(latest.current.order, focus.current()?.id, by);
      if (next) focus.focusCard(next.id);
    };
    const reading: Command[] = [
      { id: 'card-next', label: 'Next card', group, keys: 'j', perform: walk(1) },
      { id: 'card-previous', label: 'Previous card', group, keys: 'k', perform: walk(-1) },
      {
        id: 'card-copy-link',
        label: 'Copy the link to the card',
        group,
        keys: 'l',
        perform: onCard((card) => void actions.copyLink(card)),
      },
    ];
    if (!rights.edit) return reading;
    return [
      ...reading,
      {
        id: 'card-menu',
        label: 'Move the card…',
        group,
        keys: 'm',
        perform: onCard(({ id }) => openMenu(id)),
      },
      {
        id: 'card-left',
        label: 'Move the card one column left',
        group,
        keys: '[',
        perform: onCard((card) => actions.shift(card, -1)),
      },
      {
        id: 'card-right',
        label: 'Move the card one column right',
        group,
        keys: ']',
        perform: onCard((card) => actions.shift(card, 1)),
      },
      {
        id: 'card-up',
        label: 'Move the card up (Alt ↑)',
        group,
        perform: onCard((card) => actions.step(card, -1)),
      },
      {
        id: 'card-down',
        label: 'Move the card down (Alt ↓)',
        group,
        perform: onCard((card) => actions.step(card, 1)),
      },
      ...(hasLanes
        ? [
            {
              id: 'card-lane-up',
              label: 'Move the card one group up (Alt Shift ↑)',
              group,
              perform: onCard((card) => actions.changeLane(card, -1)),
            },
            {
              id: 'card-lane-down',
              label: 'Move the card one group down (Alt Shift ↓)',
              group,
              perform: onCard((card) => actions.changeLane(card, 1)),
            },
          ]
        : []),
      {
        id: 'card-mine',
        label: 'Assign the card to me',
        group,
        keys: 'i',
        perform: onCard((card) => actions.assignToMe(card)),
      },
    ];
  }, [focus, actions, rights, hasLanes]);
  useCommands(commands);
}

function openMenu(cardId: string): void {
  document.querySelector<HTMLElement>(`[data-card="${CSS.escape(cardId)}"] .menu button`)?.click();
}
