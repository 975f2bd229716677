import { addressOfItem, type InboxItem } from '../api/inbox.js';
import { Link } from '../shell/router.js';
import { ActorAvatar } from '../ui/actor.js';
import { Button } from '../ui/button.js';
import { Badge, plainWords, Time, type Tone } from '../ui/display.js';

const WORDS: Record<InboxItem['kind'], string> = {
  assigned: 'gave you',
  mentioned: 'mentions you on',
  commented: 'commented on',
  build_failed: 'A build failed for',
  review_asked: 'A review is asked for',
};

const TONES: Partial<Record<InboxItem['kind'], Tone>> = { build_failed: 'bad', review_asked: 'accent' };

interface RowProps {
  item: InboxItem;
  place: number;
  chosen: boolean;
  onOpen(): void;
  onDone(): void;
}

export function InboxRow({ item, place, chosen, onOpen, onDone }: RowProps) {
  const address = addressOfItem(item);
  const personal = item.actor && !['build_failed', 'review_asked'].includes(item.kind);
  return (
    <li
      data-row={place}
      data-item={item.item_id}
      className={['inbox-row', !item.read_at && 'inbox-unread', chosen && 'row-chosen']
        .filter(Boolean)
        .join(' ')}
    >
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
        <div className="small muted">
          <Time at={item.at} />
          {item.task && <> · {plainWords(item.task.status)}</>}
        </div>
      </div>
      {TONES[item.kind] && <Badge tone={TONES[item.kind]}>{plainWords(item.kind)}</Badge>}
      <Button small tone="quiet" onClick={onDone}>
        {item.done_at ? 'Reopen' : 'Done'}
      </Button>
    </li>
  );
}
