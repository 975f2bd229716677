import { memo, useEffect, useRef, useState } from 'react';
import type { TileCard } from '../api/boards.js';
import { Badge } from '../ui/display.js';
import { MoreIcon } from '../ui/icons.js';
import { Menu, type MenuItem } from '../ui/menu.js';
import type { Rights } from './board-rights.js';
import { attachCard, type Edge } from './card-drag.js';
import { CardMarks, type OpenBuild } from './card-marks.js';
import { PriorityMark } from './priority-mark.js';

/** What can be done to a card where it stands; never changes while the board is open. */
export interface TileDeeds {
  open(cardId: string): void;
  /** The menu's items, as things stand when it is opened. */
  items(card: TileCard): MenuItem[];
}

interface TileProps {
  card: TileCard;
  build: OpenBuild | undefined;
  agentName: string | undefined;
  rights: Rights;
  deeds: TileDeeds;
}

export const CardTile = memo(function CardTile({ card, build, agentName, rights, deeds }: TileProps) {
  const element = useRef<HTMLDivElement>(null);
  const [edge, setEdge] = useState<Edge>();
  const [dragged, setDragged] = useState(false);
  useEffect(() => {
    if (!element.current || !rights.edit) return;
    return attachCard(element.current, card.id, { onEdge: setEdge, onDragged: setDragged });
  }, [card.id, rights.edit]);

  return (
    <div className="card-slot" data-edge={edge} ref={element}>
      <div className={dragged ? 'card card-dragged' : 'card'}>
        <div className="card-head">
          <span className="card-ref">{card.ref}</span>
          {card.status === 'canceled' && <Badge>canceled</Badge>}
          {card.archived && <Badge>archived</Badge>}
          <PriorityMark priority={card.priority} />
          <Menu
            label={rights.edit ? `Move ${card.ref}` : `More on ${card.ref}`}
            items={() => deeds.items(card)}
            icon={<MoreIcon size={16} />}
          />
        </div>
        <button type="button" className="card-title" onClick={() => deeds.open(card.id)}>
          {card.title}
        </button>
        <CardMarks card={card} build={build} agentName={agentName} />
      </div>
    </div>
  );
});
