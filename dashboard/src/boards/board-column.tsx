import { memo, useState } from 'react';
import type { Column, SummaryCard } from '../api/boards.js';
import { IconButton } from '../ui/button.js';
import { PlusIcon } from '../ui/icons.js';
import { CARD_TYPE, CardTile } from './card-tile.js';

interface ColumnProps {
  column: Column;
  columns: Column[];
  cards: SummaryCard[];
  onOpen(cardId: string): void;
  onMove(card: SummaryCard, column: Column): void;
  onDrop(cardId: string, column: Column): void;
  onGrab(card: SummaryCard): void;
  onAdd(column: Column): void;
}

export const BoardColumn = memo(function BoardColumn({ column, cards, ...rest }: ColumnProps) {
  const [over, setOver] = useState(false);
  return (
    <section
      className={over ? 'column column-over' : 'column'}
      data-column={column.name}
      aria-label={`${column.name}, ${cards.length} cards`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes(CARD_TYPE)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        rest.onDrop(event.dataTransfer.getData(CARD_TYPE), column);
      }}
    >
      <header className="column-head">
        <span className={`dot dot-${column.status}`} />
        <h2>{column.name}</h2>
        <span className="count">{cards.length}</span>
        <IconButton label={`New card in ${column.name}`} onClick={() => rest.onAdd(column)}>
          <PlusIcon size={16} />
        </IconButton>
      </header>
      <ul className="column-cards">
        {cards.map((card) => (
          <CardTile
            key={card.id}
            card={card}
            columns={rest.columns}
            onOpen={rest.onOpen}
            onMove={rest.onMove}
            onGrab={rest.onGrab}
          />
        ))}
        {cards.length === 0 && <li className="column-empty">No cards</li>}
      </ul>
    </section>
  );
});
