import { type KeyboardEvent, useMemo, useRef } from 'react';
import { type Board, type Column, listOpenBuilds } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { type Command, useCommands } from '../shell/commands.js';
import { useIsGuest } from '../shell/session.js';
import { BoardColumn } from './board-column.js';
import type { Rights } from './board-rights.js';
import type { BoardHandle } from './use-board.js';
import type { CardFocus, Groups } from './use-card-focus.js';
import { type Deeds, neighbourOf, walkCards } from './use-deeds.js';
import type { Directory } from './use-directory.js';

interface ColumnsProps {
  board: Board;
  handle: BoardHandle;
  groups: Groups;
  rights: Rights;
  focus: CardFocus;
  deeds: Deeds;
  directory: Directory;
  onAdd(column: Column): void;
}

const BUILDS_POLL_MS = 20_000;
const WALKING = ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight', 'Home', 'End'];

export function BoardColumns(props: ColumnsProps) {
  const { board, handle, groups, rights, focus, deeds, directory, onAdd } = props;
  const isGuest = useIsGuest();
  const builds = useResource(isGuest ? null : 'builds:open', listOpenBuilds, { pollMs: BUILDS_POLL_MS });
  const agentNames = useMemo(
    () => new Map(directory.agents.map(({ agent_id, name }) => [agent_id, name])),
    [directory.agents],
  );
  const counts = useMemo(() => countByColumn(handle.cards.data ?? []), [handle.cards.data]);
  useBoardCommands(props);

  function onKeyDown(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    const cardId = target.closest('[data-card]')?.getAttribute('data-card');
    if (!cardId || !target.matches('.card-title') || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!WALKING.includes(event.key)) return;
    event.preventDefault();
    const card = handle.find(cardId);
    if (!card) return;
    if (!event.altKey) {
      const next = neighbourOf(board, groups, cardId, event.key);
      if (next) focus.focusCard(next.id);
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      deeds.step(card, event.key === 'ArrowUp' ? -1 : 1);
    } else deeds.shift(card, event.key === 'ArrowLeft' ? -1 : 1);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the cards inside
    <div
      className="columns"
      onKeyDown={onKeyDown}
      onFocus={(event) => {
        const cardId = event.target.closest('[data-card]')?.getAttribute('data-card');
        if (cardId) focus.note(cardId);
      }}
    >
      {board.columns.map((column) => {
        const cards = groups.get(column.id) ?? [];
        return (
          <BoardColumn
            key={column.id}
            column={column}
            cards={cards}
            hidden={(counts.get(column.id) ?? 0) - cards.length}
            builds={builds.data}
            agentNames={agentNames}
            rights={rights}
            deeds={deeds.tile}
            onAdd={onAdd}
            onReveal={focus.onReveal}
          />
        );
      })}
    </div>
  );
}

function countByColumn(cards: readonly { column: { id: string }; archived: boolean }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { column, archived } of cards)
    if (!archived) counts.set(column.id, (counts.get(column.id) ?? 0) + 1);
  return counts;
}

/** What the keys and the palette offer for the card that has the focus. */
function useBoardCommands({ board, groups, focus, deeds, rights }: ColumnsProps): void {
  const latest = useRef({ board, groups });
  latest.current = { board, groups };
  const commands = useMemo(() => {
    const group = 'Board';
    const onCard = (perform: (card: NonNullable<ReturnType<CardFocus['current']>>) => void) => () => {
      const card = focus.current();
      if (card) perform(card);
    };
    const walk = (by: 1 | -1) => () => {
      const next = walkCards(latest.current.board, latest.current.groups, focus.current()?.id, by);
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
        perform: onCard((card) => void deeds.copyLink(card)),
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
        perform: onCard((card) => deeds.shift(card, -1)),
      },
      {
        id: 'card-right',
        label: 'Move the card one column right',
        group,
        keys: ']',
        perform: onCard((card) => deeds.shift(card, 1)),
      },
      {
        id: 'card-up',
        label: 'Move the card up (Alt ↑)',
        group,
        perform: onCard((card) => deeds.step(card, -1)),
      },
      {
        id: 'card-down',
        label: 'Move the card down (Alt ↓)',
        group,
        perform: onCard((card) => deeds.step(card, 1)),
      },
      {
        id: 'card-mine',
        label: 'Assign the card to me',
        group,
        keys: 'i',
        perform: onCard((card) => deeds.assignToMe(card)),
      },
    ];
  }, [focus, deeds, rights]);
  useCommands(commands);
}

function openMenu(cardId: string): void {
  document.querySelector<HTMLElement>(`[data-card="${CSS.escape(cardId)}"] .menu button`)?.click();
}
