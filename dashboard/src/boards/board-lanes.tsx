import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useRef, useState } from 'react';
import type { Board, Column, TileCard } from '../api/boards.js';
import { Link, withParameters } from '../shell/router.js';
import { countOf } from '../ui/display.js';
import { ColumnHead, useDropTarget } from './board-column.js';
import { CardCell, type CellParts, useRangeWith } from './card-cell.js';
import { cellIdOf, type Groups, type Lane } from './lanes.js';
import { LANES } from './use-card-focus.js';

interface LanesProps {
  board: Board;
  lanes: readonly Lane[];
  groups: Groups;
  /** Counts the visible cards of a column. */
  shownIn(columnId: string): number;
  hiddenIn(columnId: string): number;
  parts: CellParts;
  isCollapsed(column: Column): boolean;
  onAdd(column: Column): void;
  onFold(column: Column): void;
}

const USUAL_HEIGHT = 190;
const NO_CARDS: TileCard[] = [];

/** One row of column headings, then a row of cells per person or per parent card. */
export function BoardLanes(props: LanesProps) {
  const { board, lanes, groups, parts, isCollapsed, shownIn, hiddenIn, onAdd, onFold } = props;
  const { onReveal } = parts;
  const frame = useRef<HTMLDivElement>(null);
  const [focusedId, setFocusedId] = useState<string>();
  const focusedAt = lanes.findIndex(({ id }) => id === focusedId);
  const virtualizer = useVirtualizer({
    count: lanes.length,
    getScrollElement: () => frame.current,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey: (index) => lanes[index]!.id,
    overscan: 2,
    useFlushSync: false,
    rangeExtractor: useRangeWith(focusedAt),
  });
  useEffect(() => {
    onReveal(LANES, (index) => virtualizer.scrollToIndex(index, { align: 'auto' }));
    return () => onReveal(LANES, undefined);
  }, [onReveal, virtualizer]);

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only told where the focus is
    <div
      className="swimlanes"
      ref={frame}
      onFocus={(event) =>
        setFocusedId(event.target.closest('[data-lane]')?.getAttribute('data-lane') ?? undefined)
      }
      onBlur={() => setFocusedId(undefined)}
    >
      <div className="swimlane-columns swimlane-heads">
        {board.columns.map((column) => {
          const cards = { length: shownIn(column.id) };
          return (
            <div key={column.id} className={widthOf(isCollapsed(column))}>
              {isCollapsed(column) ? (
                <>
                  <button
                    type="button"
                    className="column-unfold"
                    aria-expanded={false}
                    aria-label={`Unfold ${column.name}, ${countOf(cards.length, 'card')}`}
                    onClick={() => onFold(column)}
                  />
                  <span className={`dot dot-${column.status}`} />
                  <span className="count">{cards.length}</span>
                </>
              ) : (
                <ColumnHead
                  column={column}
                  cards={cards}
                  hidden={hiddenIn(column.id)}
                  parts={parts}
                  onAdd={onAdd}
                  onFold={onFold}
                />
              )}
            </div>
          );
        })}
      </div>
      <div className="swimlane-list" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map((item) => (
          <div
            key={item.key}
            className="swimlane-row"
            data-index={item.index}
            ref={virtualizer.measureElement}
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <LaneRow
              board={board}
              lane={lanes[item.index]!}
              groups={groups}
              parts={parts}
              isCollapsed={isCollapsed}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

const widthOf = (folded: boolean): string => (folded ? 'swimlane-cell column-folded' : 'swimlane-cell');

interface RowProps {
  board: Board;
  lane: Lane;
  groups: Groups;
  parts: CellParts;
  isCollapsed(column: Column): boolean;
}

function LaneRow({ board, lane, groups, parts, isCollapsed }: RowProps) {
  return (
    <section
      className="swimlane"
      data-lane={lane.id}
      aria-label={`${lane.name}, ${countOf(lane.count, 'card')}`}
    >
      <h3 className="swimlane-name">
        {lane.parent ? (
          <Link to={withParameters({ card: lane.parent.id })}>
            <span className="mono muted">{lane.parent.ref}</span> {lane.name}
          </Link>
        ) : (
          lane.name
        )}{' '}
        <span className="count">{lane.count}</span>
      </h3>
      <div className="swimlane-columns">
        {board.columns.map((column) => {
          const cellId = cellIdOf(lane.id, column.id);
          return (
            <LaneCell
              key={cellId}
              cellId={cellId}
              name={`${column.name} of ${lane.name}`}
              folded={isCollapsed(column)}
              cards={groups.get(cellId) ?? NO_CARDS}
              parts={parts}
            />
          );
        })}
      </div>
    </section>
  );
}

interface CellProps {
  cellId: string;
  name: string;
  folded: boolean;
  cards: readonly TileCard[];
  parts: CellParts;
}

const LaneCell = memo(function LaneCell({ cellId, name, folded, cards, parts }: CellProps) {
  const { section, over } = useDropTarget<HTMLDivElement>(cellId, parts.rights.edit);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a cell is no form
    <div
      className={`${widthOf(folded)} swimlane-cards${over ? ' column-over' : ''}`}
      data-cell={cellId}
      role="group"
      aria-label={`${name}, ${countOf(cards.length, 'card')}`}
      ref={section}
    >
      {folded ? (
        <p className="column-empty">{cards.length || ''}</p>
      ) : (
        <CardCell cellId={cellId} cards={cards} parts={parts} empty="" />
      )}
    </div>
  );
});
