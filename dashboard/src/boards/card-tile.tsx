import { memo, useMemo } from 'react';
import type { Column, SummaryCard } from '../api/boards.js';
import { Avatar, Badge, plainWords, type Tone } from '../ui/display.js';
import { ArrowIcon, BranchIcon } from '../ui/icons.js';
import { Menu } from '../ui/menu.js';

interface TileProps {
  card: SummaryCard;
  columns: Column[];
  onOpen(cardId: string): void;
  onMove(card: SummaryCard, column: Column): void;
  onGrab(card: SummaryCard): void;
}

export const CARD_TYPE = 'application/x-guildhall-card';

export const CardTile = memo(function CardTile({ card, columns, onOpen, onMove, onGrab }: TileProps) {
  const items = useMemo(
    () =>
      columns
        .filter(({ id }) => id !== card.column.id)
        .map((column) => ({ label: `Move to ${column.name}`, perform: () => onMove(card, column) })),
    [card, columns, onMove],
  );
  return (
    <li
      className="card"
      draggable
      data-card={card.id}
      onDragStart={(event) => {
        event.dataTransfer.setData(CARD_TYPE, card.id);
        event.dataTransfer.effectAllowed = 'move';
        onGrab(card);
      }}
    >
      <div className="card-head">
        <span className="card-ref">{card.ref}</span>
        {card.status === 'canceled' && <Badge>canceled</Badge>}
        {card.assignee && <Avatar name={card.assignee.name} size={20} />}
        <Menu label={`Move ${card.ref}`} items={items} icon={<ArrowIcon size={15} />} />
      </div>
      <button type="button" className="card-title" onClick={() => onOpen(card.id)}>
        {card.title}
      </button>
      <CardFoot card={card} />
    </li>
  );
});

function CardFoot({ card }: { card: SummaryCard }) {
  if (!card.branch && card.pr_number === null && !card.checks_state) return null;
  return (
    <div className="card-foot">
      {card.pr_number !== null ? (
        <Badge tone={prTone(card.pr_state)} title={card.branch ?? undefined}>
          <BranchIcon size={12} /> #{card.pr_number} {card.pr_state && plainWords(card.pr_state)}
        </Badge>
      ) : (
        card.branch && (
          <span className="card-branch" title={card.branch}>
            <BranchIcon size={12} /> {card.branch}
          </span>
        )
      )}
      {card.checks_state && (
        <Badge tone={checksTone(card.checks_state)}>{plainWords(card.checks_state)}</Badge>
      )}
    </div>
  );
}

function prTone(state: string | null): Tone {
  if (state === 'merged') return 'accent';
  return state === 'closed' ? 'plain' : 'info';
}

function checksTone(state: string): Tone {
  if (/^(pass|success|green|ok)/.test(state)) return 'good';
  return /^(fail|error|red)/.test(state) ? 'bad' : 'warn';
}
