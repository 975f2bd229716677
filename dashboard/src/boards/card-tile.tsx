import { type MouseEvent, memo, useEffect, useRef, useState } from 'react';
import type { TileCard } from '../api/boards.js';
import { PriorityMark, StatusMark } from '../ui/card-marks.js';
import { Badge } from '../ui/display.js';
import { MoreIcon } from '../ui/icons.js';
import { Menu, type MenuItem } from '../ui/menu.js';
import type { Rights } from './board-rights.js';
import { attachCard, type Edge } from './card-drag.js';
import { CardMarks, type OpenBuild } from './card-marks.js';
import { type MarkActions, SelectMark } from './selection/select-mark.js';
import type { SubTasks } from './sub-tasks.js';

/** Card actions; the object must stay the same while the board is open. */
export interface TileActions extends MarkActions {
  open(cardId: string): void;
  /** Computes the menu items when the menu opens. */
  items(card: TileCard): MenuItem[];
}

interface TileProps {
  card: TileCard;
  build: OpenBuild | undefined;
  agentName: string | undefined;
  subTasks: SubTasks | undefined;
  selected: boolean;
  rights: Rights;
  actions: TileActions;
}

export const CardTile = memo(function CardTile(props: TileProps) {
  const { card, build, agentName, subTasks, selected, rights, actions } = props;
  const element = useRef<HTMLDivElement>(null);
  const [edge, setEdge] = useState<Edge>();
  const [dragged, setDragged] = useState(false);
  useEffect(() => {
    if (!element.current || !rights.edit) return;
    return attachCard(element.current, card.id, { onEdge: setEdge, onDragged: setDragged });
  }, [card.id, rights.edit]);

  /** Ctrl or Command toggles a card in the selection, Shift selects a range. */
  function onClick(event: MouseEvent) {
    const isMarking = event.shiftKey || event.ctrlKey || event.metaKey;
    if (isMarking && rights.edit) actions.mark(card.id, event.shiftKey);
    else actions.open(card.id);
  }

  return (
    <div className="card-slot" data-edge={edge} ref={element}>
      <div className={dragged ? 'card card-dragged' : 'card'} data-selected={selected || undefined}>
        <div className="card-head">
          <span className="card-ref">{card.ref}</span>
          {card.status === 'canceled' && <StatusMark status="canceled" />}
          {card.archived && <Badge>archived</Badge>}
          <PriorityMark priority={card.priority} />
          {rights.edit && <SelectMark card={card} selected={selected} actions={actions} />}
          <Menu
            label={rights.edit ? `Move ${card.ref}` : `More on ${card.ref}`}
            items={() => actions.items(card)}
            icon={<MoreIcon size={16} />}
          />
        </div>
        <button type="button" className="card-title" data-title onClick={onClick}>
          {card.title}
        </button>
        <CardMarks card={card} build={build} agentName={agentName} subTasks={subTasks} />
      </div>
    </div>
  );
});
