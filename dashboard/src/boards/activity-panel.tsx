import type { ActivityEntry } from '../api/boards.js';
import { Button, IconButton } from '../ui/button.js';
import { Avatar, Time } from '../ui/display.js';
import { Empty, ErrorNote, Skeleton } from '../ui/feedback.js';
import { CloseIcon } from '../ui/icons.js';
import { changesIn, verbOf } from './activity-words.js';
import type { Activity } from './use-activity.js';

interface PanelProps {
  activity: Activity;
  onOpenCard(cardId: string): void;
  onClose(): void;
}

export function ActivityPanel({ activity, onOpenCard, onClose }: PanelProps) {
  const { entries, fault, live, readOlder } = activity;
  return (
    <aside className="activity" aria-label="Activity">
      <header className="activity-head">
        <h2>Activity</h2>
        <span className={live ? 'live live-on' : 'live'}>{live ? 'Live' : 'Connecting'}</span>
        <IconButton label="Hide activity" onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </header>
      <div className="activity-body">
        {fault && <ErrorNote fault={fault} />}
        {!entries && !fault && <Skeleton rows={6} />}
        {entries?.length === 0 && <Empty title="Nothing has happened yet" />}
        <ol className="activity-list">
          {entries?.map((entry) => (
            <ActivityEntryItem key={entry.id} entry={entry} onOpenCard={onOpenCard} />
          ))}
        </ol>
        {entries && entries.length > 0 && readOlder && (
          <Button small tone="quiet" onClick={readOlder}>
            Older
          </Button>
        )}
      </div>
    </aside>
  );
}

interface ItemProps {
  entry: ActivityEntry;
  /** Left out where the card is known anyway. */
  onOpenCard?(cardId: string): void;
}

export function ActivityEntryItem({ entry, onOpenCard }: ItemProps) {
  const { actor, ref, task_id: cardId, action } = entry;
  const actorName = actor?.name ?? 'The service';
  return (
    <li className="activity-entry" data-action={action}>
      <Avatar name={actorName} size={24} />
      <div>
        <strong>{actorName}</strong> {verbOf(entry)}{' '}
        {ref && cardId && onOpenCard && action !== 'task.deleted' ? (
          <button type="button" className="text-button mono" onClick={() => onOpenCard(cardId)}>
            {ref}
          </button>
        ) : (
          <span className="mono">{ref}</span>
        )}
        {detailOf(entry)}
        <div className="muted small">
          <Time at={entry.created_at} />
        </div>
      </div>
    </li>
  );
}

function detailOf(entry: ActivityEntry) {
  const { action, changes } = entry;
  const column = changes['column'];
  const changed = changesIn(entry);
  return (
    <>
      {action === 'task.moved' && column && (
        <span>
          {' '}
          from {String(column.from)} to <b>{String(column.to)}</b>
        </span>
      )}
      {changed.length > 0 && (
        <span className="muted">
          {action === 'task.moved' ? ', with ' : ': '}
          {changed.join(', ')}
        </span>
      )}
    </>
  );
}
