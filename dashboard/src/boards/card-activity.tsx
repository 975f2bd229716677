import { useState } from 'react';
import { listCardActivity } from '../api/boards.js';
import { useResource } from '../api/resource.js';
import { Loaded, More } from '../ui/feedback.js';
import { ActivityEntryItem } from './activity-panel.js';

export function CardActivity({ cardId }: { cardId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="card-activity" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Activity</summary>
      {open && <Entries cardId={cardId} />}
    </details>
  );
}

function Entries({ cardId }: { cardId: string }) {
  const [pages, setPages] = useState(1);
  const entries = useResource(
    `card-activity:${cardId}:${pages}`,
    (signal) => listCardActivity(cardId, pages, signal),
    { keep: true },
  );
  return (
    <Loaded of={entries} rows={3}>
      {({ items, total }) => (
        <>
          <ol className="activity-list">
            {items.map((entry) => (
              <ActivityEntryItem key={entry.id} entry={entry} />
            ))}
          </ol>
          <More
            shown={items.length}
            total={total}
            noun="entries"
            readMore={items.length < total ? () => setPages(pages + 1) : undefined}
            busy={entries.refreshing}
          />
        </>
      )}
    </Loaded>
  );
}
