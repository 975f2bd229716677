import { memo, useEffect, useRef, useState } from 'react';
import type { Column, TileCard } from '../api/boards.js';
import { IconButton } from '../ui/button.js';
import { FoldIcon, PlusIcon } from '../ui/icons.js';
import { CardCell, type CellParts } from './card-cell.js';
import { attachColumn } from './card-drag.js';

interface ColumnProps {
  column: Column;
  cards: readonly TileCard[];
  hidden: number;
  parts: CellParts;
  onAdd(column: Column): void;
  onFold(column: Column): void;
}

export const BoardColumn = memo(function BoardColumn(props: ColumnProps) {
  const { column, cards, hidden, parts } = props;
  const { section, over } = useDropTarget<HTMLElement>(column.id, parts.rights.edit);
  return (
    <section
      className={over ? 'column column-over' : 'column'}
      data-column={column.name}
      data-cell={column.id}
      aria-label={labelOf(column, cards.length)}
      ref={section}
    >
      <ColumnHead {...props} />
      <CardCell
        cellId={column.id}
        cards={cards}
        parts={parts}
        empty={hidden > 0 ? 'No cards match the filter' : 'No cards'}
      />
    </section>
  );
});

const labelOf = ({ name }: Column, count: number): string =>
  `${name}, ${count} ${count === 1 ? 'card' : 'cards'}`;

type HeadProps = Pick<ColumnProps, 'column' | 'hidden' | 'onAdd' | 'onFold'> & {
  cards: { length: number };
  parts: Pick<CellParts, 'rights'>;
};

export function ColumnHead({ column, cards, hidden, parts, onAdd, onFold }: HeadProps) {
  return (
    <header className="column-head">
      <span className={`dot dot-${column.status}`} />
      <h2>{column.name}</h2>
      <span className="count">
        {hidden > 0 ? `${cards.length} of ${cards.length + hidden}` : cards.length}
      </span>
      <IconButton label={`Fold ${column.name} away`} aria-expanded onClick={() => onFold(column)}>
        <FoldIcon size={15} />
      </IconButton>
      {parts.rights.edit && (
        <IconButton label={`New card in ${column.name}`} onClick={() => onAdd(column)}>
          <PlusIcon size={16} />
        </IconButton>
      )}
    </header>
  );
}

interface FoldedProps {
  column: Column;
  cards: { length: number };
  edit: boolean;
  onUnfold(column: Column): void;
}

/** Shows only the name and the card count; cards can still be dropped on it. */
export function FoldedColumn({ column, cards, edit, onUnfold }: FoldedProps) {
  const { section, over } = useDropTarget<HTMLElement>(column.id, edit);
  return (
    <section
      className={over ? 'column column-folded column-over' : 'column column-folded'}
      data-column={column.name}
      data-cell={column.id}
      aria-label={labelOf(column, cards.length)}
      ref={section}
    >
      <button
        type="button"
        className="column-unfold"
        data-unfold
        aria-expanded={false}
        aria-label={`Unfold ${column.name}, ${cards.length} ${cards.length === 1 ? 'card' : 'cards'}`}
        onClick={() => onUnfold(column)}
      />
      <span className={`dot dot-${column.status}`} />
      <span className="count">{cards.length}</span>
      <h2>{column.name}</h2>
    </section>
  );
}

/** Makes an element a drop target that scrolls its list while a card is dragged near the edge. */
export function useDropTarget<E extends HTMLElement>(cellId: string, edit: boolean) {
  const section = useRef<E>(null);
  const [over, setOver] = useState(false);
  useEffect(() => {
    const element = section.current;
    if (!element || !edit) return;
    const list = () => element.querySelector<HTMLElement>('.column-cards');
    return attachColumn(element, cellId, { list, onOver: setOver });
  }, [cellId, edit]);
  return { section, over };
}
