import { addressOfCard, type FoundCard } from '../api/work.js';
import { Link } from '../shell/router.js';
import { Avatar, Badge, formatMoney, plainWords, Time, type Tone } from '../ui/display.js';

const STATUS_TONES: Record<FoundCard['status'], Tone> = {
  pending: 'plain',
  in_progress: 'info',
  in_review: 'accent',
  blocked: 'bad',
  done: 'good',
  canceled: 'plain',
};

interface RowProps {
  card: FoundCard;
  place: number;
  chosen: boolean;
  /** Left out where it stands above the row, or where there is little room. */
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
          {!hide.details && card.labels.slice(0, 2).map((label) => <Badge key={label}>{label}</Badge>)}
          {['high', 'urgent'].includes(card.priority) && <Badge tone="warn">{card.priority}</Badge>}
          {card.due_at && (
            <span className={late ? 'late' : undefined}>
              due <Time at={card.due_at} />
            </span>
          )}
          {!hide.details && card.cost_usd > 0 && <span className="nowrap">{formatMoney(card.cost_usd)}</span>}
          {!hide.status && <Badge tone={STATUS_TONES[card.status]}>{plainWords(card.status)}</Badge>}
          {owner ? <Avatar name={owner} size={22} /> : null}
        </span>
      </Link>
    </li>
  );
}
