import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { TileCard } from '../api/boards.js';
import type { Rights } from './board-rights.js';
import type { OpenBuild } from './card-marks.js';
import { CardTile, type TileActions } from './card-tile.js';
import type { SubTasks } from './sub-tasks.js';

/** Scrolls to a card of a cell, which also mounts it. */
export type Reveal = (index: number) => void;

export interface CellParts {
  builds: ReadonlyMap<string, OpenBuild> | undefined;
  agentNames: ReadonlyMap<string, string>;
  subTasks: ReadonlyMap<string, SubTasks>;
  selected: ReadonlySet<string>;
  rights: Rights;
  actions: TileActions;
  onReveal(cellId: string, reveal: Reveal | undefined): void;
}

interface CellProps {
  cellId: string;
  cards: readonly TileCard[];
  parts: CellParts;
  empty: string;
}

const USUAL_HEIGHT = 92;
const BEYOND_SIGHT = 6;

/** A virtualized list: only cards near the viewport are mounted. */
export const CardCell = memo(function CardCell({ cellId, cards, parts, empty }: CellProps) {
  const { onReveal } = parts;
  const list = useRef<HTMLDivElement>(null);
  const [focusedId, setFocusedId] = useState<string>();
  const focusedAt = focusedId === undefined ? -1 : cards.findIndex(({ id }) => id === focusedId);

  const virtualizer = useVirtualizer({
    count: cards.length,
    getScrollElement: () => list.current,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey: (index) => cards[index]!.id,
    overscan: BEYOND_SIGHT,
    useFlushSync: false,
    rangeExtractor: useRangeWith(focusedAt),
  });

  useEffect(() => {
    onReveal(cellId, (index) => virtualizer.scrollToIndex(index, { align: 'auto' }));
    return () => onReveal(cellId, undefined);
  }, [cellId, onReveal, virtualizer]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only told where the focus is
    <div
      className="column-cards"
      ref={list}
      onFocus={(event) => setFocusedId(cardAt(event.target))}
      onBlur={() => setFocusedId(undefined)}
    >
      {cards.length === 0 ? (
        <p className="column-empty">{empty}</p>
      ) : (
        <ul className="column-list" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const card = cards[item.index]!;
            return (
              <li
                key={item.key}
                className="card-row"
                data-card={card.id}
                data-index={item.index}
                aria-setsize={cards.length}
                aria-posinset={item.index + 1}
                ref={virtualizer.measureElement}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <CardTile
                  card={card}
                  build={parts.builds?.get(card.id)}
                  agentName={
                    card.assignee_agent_id ? parts.agentNames.get(card.assignee_agent_id) : undefined
                  }
                  subTasks={parts.subTasks.get(card.id)}
                  selected={parts.selected.has(card.id)}
                  rights={parts.rights}
                  actions={parts.actions}
                />
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
});

/** Keeps the focused card mounted while it is scrolled out of view; unmounting it would lose the focus. */
export function useRangeWith(focusedAt: number) {
  return useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (focusedAt === -1 || shown.includes(focusedAt)) return shown;
      return [...shown, focusedAt].sort((a, b) => a - b);
    },
    [focusedAt],
  );
}

export const cardAt = (element: Element): string | undefined =>
  element.closest('[data-card]')?.getAttribute('data-card') ?? undefined;
