import { addressOfItem, type InboxItem } from '../api/inbox.js';
import { Link } from '../shell/router.js';
import { ActorAvatar } from '../ui/actor.js';
import { Button } from '../ui/button.js';
import { StatusMark } from '../ui/card-marks.js';
import { Badge, plainWords, Time, type Tone } from '../ui/display.js';
import { ClockIcon } from '../ui/icons.js';
import { Menu, type MenuItem } from '../ui/menu.js';

const WORDS: Record<InboxItem['kind'], string> = {
  assigned: 'assigned you',
  mentioned: 'mentions you on',
  commented: 'commented on',
  build_failed: 'A build failed for',
  review_asked: 'Review requested for',
  build_stalled: 'No progress in the build of',
  build_question: 'A coder has a question about',
  budget_reached: 'A budget is almost or fully spent, last by',
  login_refused: 'A login on a desk was refused for',
  push_failed: 'The branch could not be pushed for',
  pr_merged: 'The pull request was merged for',
  pr_checks_failed: 'Checks of the pull request failed for',
  pr_changes_requested: 'Changes requested on the pull request of',
};

const TONES: Partial<Record<InboxItem['kind'], Tone>> = {
  build_failed: 'bad',
  review_asked: 'accent',
  build_stalled: 'warn',
  build_question: 'warn',
  budget_reached: 'warn',
  login_refused: 'bad',
  push_failed: 'bad',
  pr_merged: 'good',
  pr_checks_failed: 'bad',
  pr_changes_requested: 'warn',
};

interface RowProps {
  item: InboxItem;
  place: number;
  chosen: boolean;
  onOpen(): void;
  onDone(): void;
  /** Only in lists with selection and snooze. */
  selected?: boolean;
  onSelect?(toHere: boolean): void;
  snoozeItems?(): MenuItem[];
}

export function InboxRow(props: RowProps) {
  const { item, place, chosen, onOpen, onDone, selected = false, onSelect, snoozeItems } = props;
  const ref = item.task?.ref ?? 'this item';
  const address = addressOfItem(item);
  const personal = item.actor && !['build_failed', 'review_asked'].includes(item.kind);
  return (
    <li
      data-row={place}
      data-item={item.item_id}
      className={[
        'inbox-row',
        !item.read_at && 'inbox-unread',
        chosen && 'row-chosen',
        selected && 'row-selected',
      ]
        .filter(Boolean)
        .join(' ')}
    >
      {onSelect && (
        <input
          type="checkbox"
          className="inbox-select"
          aria-label={`Select ${ref}`}
          checked={selected}
          readOnly
          onClick={(event) => onSelect(event.shiftKey)}
        />
      )}
      <span className="inbox-dot" title={item.read_at ? 'Read' : 'Unread'}>
        <span className="off-screen">{item.read_at ? 'Read' : 'Unread'}</span>
      </span>
      <ActorAvatar actor={item.actor} nobody="Guildhall" size={28} />
      <div className="inbox-text">
        <div>
          {personal && <strong>{item.actor?.name} </strong>}
          {WORDS[item.kind]}{' '}
          {item.task && (
            <Link to={address ?? '#'} onClick={onOpen} className="inbox-link">
              <span className="mono">{item.task.ref}</span> {item.task.title}
            </Link>
          )}
        </div>
        {item.excerpt && (
          <p className="muted small clip" title={item.excerpt}>
            {item.excerpt}
          </p>
        )}
        <div className="small muted inbox-facts">
          <Time at={item.at} />
          {item.task && <StatusMark status={item.task.status} />}
          {item.snoozed_until && (
            <>
              back <Time at={item.snoozed_until} />
            </>
          )}
        </div>
      </div>
      {TONES[item.kind] && <Badge tone={TONES[item.kind]}>{plainWords(item.kind)}</Badge>}
      {snoozeItems && !item.done_at && (
        <Menu label={`Snooze ${ref}`} icon={<ClockIcon size={16} />} items={snoozeItems} />
      )}
      <Button small tone="quiet" onClick={onDone}>
        {item.done_at ? 'Reopen' : 'Done'}
      </Button>
    </li>
  );
}
