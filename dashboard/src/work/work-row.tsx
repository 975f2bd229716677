import { addressOfCard, type FoundCard } from '../api/work.js';
import { Link } from '../shell/router.js';
import { LabelMarks, PriorityMark, StatusMark } from '../ui/card-marks.js';
import { Avatar, formatMoney, Time } from '../ui/display.js';

interface RowProps {
  card: FoundCard;
  place: number;
  chosen: boolean;
  /** Omits details that the group heading shows or that do not fit. */
  hide?: { status?: boolean; details?: boolean };
  nameAgent(agentId: string): string;
}

export function WorkRow({ card, place, chosen, hide = {}, nameAgent }: RowProps) {
  const owner = card.assignee?.name ?? (card.assignee_agent_id && nameAgent(card.assignee_agent_id));
  const closed = card.status === 'done' || card.status === 'canceled';
  const late = !closed && card.due_at !== null && new Date(card.due_at).getTime() < Date.now();
  return (
    <li className={chosen ? 'row-chosen' : undefined}>
      <Link to={addressOfCard(card)} className="work-row" data-row={place} data-card={card.id}>
        <span className="mono muted">{card.ref}</span>
        <span className="work-title" title={card.title}>
          {card.title}
        </span>
        <span className="work-marks">
          {!hide.details && <LabelMarks labels={card.labels} most={2} />}
          <PriorityMark priority={card.priority} />
          {card.due_at && (
            <span className={late ? 'late' : undefined}>
              due <Time at={card.due_at} />
            </span>
          )}
          {!hide.details && card.cost_usd > 0 && <span className="nowrap">{formatMoney(card.cost_usd)}</span>}
          {!hide.status && <StatusMark status={card.status} />}
          {owner ? <Avatar name={owner} size={22} /> : null}
        </span>
      </Link>
    </li>
  );
}
