import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { Column, TileCard } from '../api/boards.js';
import { IconButton } from '../ui/button.js';
import { PlusIcon } from '../ui/icons.js';
import type { Rights } from './board-rights.js';
import { attachColumn } from './card-drag.js';
import type { OpenBuild } from './card-marks.js';
import { CardTile, type TileDeeds } from './card-tile.js';

/** Brings a card of a column into sight, and into the page. */
export type Reveal = (index: number) => void;

interface ColumnProps {
  column: Column;
  cards: TileCard[];
  /** Cards that the filter hides. */
  hidden: number;
  builds: ReadonlyMap<string, OpenBuild> | undefined;
  agentNames: ReadonlyMap<string, string>;
  rights: Rights;
  deeds: TileDeeds;
  onAdd(column: Column): void;
  onReveal(columnId: string, reveal: Reveal | undefined): void;
}

const USUAL_HEIGHT = 92;
const BEYOND_SIGHT = 6;

export const BoardColumn = memo(function BoardColumn(props: ColumnProps) {
  const { column, cards, hidden, rights, deeds, builds, agentNames, onAdd, onReveal } = props;
  const section = useRef<HTMLElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState(false);
  const [focusedId, setFocusedId] = useState<string>();
  const focusedAt = focusedId === undefined ? -1 : cards.findIndex(({ id }) => id === focusedId);

  const virtualizer = useVirtualizer({
    count: cards.length,
    getScrollElement: () => list.current,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey: (index) => cards[index]!.id,
    overscan: BEYOND_SIGHT,
    useFlushSync: false,
    // A card that has the focus stays in the page when it is scrolled away, or the focus would be lost.
    rangeExtractor: useCallback(
      (range: Range) => {
        const shown = defaultRangeExtractor(range);
        if (focusedAt === -1 || shown.includes(focusedAt)) return shown;
        return [...shown, focusedAt].sort((a, b) => a - b);
      },
      [focusedAt],
    ),
  });

  useEffect(() => {
    onReveal(column.id, (index) => virtualizer.scrollToIndex(index, { align: 'auto' }));
    return () => onReveal(column.id, undefined);
  }, [column.id, onReveal, virtualizer]);
  useEffect(() => {
    if (!section.current || !rights.edit) return;
    return attachColumn(section.current, column.id, { list: () => list.current, onOver: setOver });
  }, [column.id, rights.edit]);

  return (
    <section
      className={over ? 'column column-over' : 'column'}
      data-column={column.name}
      data-column-id={column.id}
      aria-label={`${column.name}, ${cards.length} ${cards.length === 1 ? 'card' : 'cards'}`}
      ref={section}
    >
      <header className="column-head">
        <span className={`dot dot-${column.status}`} />
        <h2>{column.name}</h2>
        <span className="count">
          {hidden > 0 ? `${cards.length} of ${cards.length + hidden}` : cards.length}
        </span>
        {rights.edit && (
          <IconButton label={`New card in ${column.name}`} onClick={() => onAdd(column)}>
            <PlusIcon size={16} />
          </IconButton>
        )}
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: only told where the focus is */}
      <div
        className="column-cards"
        ref={list}
        onFocus={(event) => setFocusedId(cardAt(event.target))}
        onBlur={() => setFocusedId(undefined)}
      >
        {cards.length === 0 ? (
          <p className="column-empty">{hidden > 0 ? 'No card fits the filter' : 'No cards'}</p>
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
                    build={builds?.get(card.id)}
                    agentName={card.assignee_agent_id ? agentNames.get(card.assignee_agent_id) : undefined}
                    rights={rights}
                    deeds={deeds}
                  />
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </section>
  );
});

const cardAt = (element: Element): string | undefined =>
  element.closest('[data-card]')?.getAttribute('data-card') ?? undefined;
