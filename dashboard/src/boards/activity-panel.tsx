import type { ActivityEntry } from '../api/boards.js';
import { ActorAvatar } from '../ui/actor.js';
import { Button, IconButton } from '../ui/button.js';
import { Time } from '../ui/display.js';
import { Empty, ErrorNote, Skeleton } from '../ui/feedback.js';
import { CloseIcon } from '../ui/icons.js';
import { changesIn, changesPullRequest, verbOf } from './activity-words.js';
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
  /** Omitted in the drawer of a single card. */
  onOpenCard?(cardId: string): void;
}

const SERVICE = 'The service';

export function ActivityEntryItem({ entry, onOpenCard }: ItemProps) {
  const { actor, ref, task_id: cardId, action } = entry;
  return (
    <li className="activity-entry" data-action={action}>
      <ActorAvatar actor={actor} nobody={SERVICE} size={24} />
      <div>
        <strong>{actor?.name ?? SERVICE}</strong> {verbOf(entry)}{' '}
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
          {action === 'task.moved' && !changesPullRequest(entry) ? ', with ' : ': '}
          {changed.join(', ')}
        </span>
      )}
    </>
  );
}
