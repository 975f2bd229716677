import { type HistoryEntry, listHistory } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { ActorName } from '../ui/actor.js';
import { sentence, Time } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';

const ACTION_NAMES: Record<HistoryEntry['action'], string> = {
  created: 'written',
  changed: 'edited',
  verified: 'verified',
  archived: 'archived',
  restored: 'restored',
  merged: 'merged into a pattern',
  unmerged: 'restored from a pattern',
};

const deedOf = ({ action, changes }: HistoryEntry): string =>
  action === 'archived' && changes['superseded_by'] ? 'replaced by another memory' : ACTION_NAMES[action];

export function HistoryList({ memoryId }: { memoryId: string }) {
  const history = useResource(`memory-history:${memoryId}`, (signal) => listHistory(memoryId, signal));
  return (
    <section className="stack-tight" aria-label="History">
      <h3>History</h3>
      <Loaded of={history} rows={2}>
        {({ entries, total }) =>
          entries.length === 0 ? (
            <p className="muted small">No history yet.</p>
          ) : (
            <>
              <ol className="timeline">
                {entries.map((entry) => (
                  <li key={entry.id}>
                    <div className="timeline-head">
                      <strong>{sentence(deedOf(entry))}</strong>
                      <span className="muted small">
                        <ActorName actor={entry.actor} nobody="by the service" />, <Time at={entry.at} />
                      </span>
                    </div>
                    <Changes changes={entry.changes} />
                  </li>
                ))}
              </ol>
              {total > entries.length && (
                <p className="muted small">
                  The last {entries.length} of {total} entries.
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** Fields that the action's name already describes. */
const UNTOLD = ['status', 'merged_into', 'superseded_by', 'last_verified_at'];

function Changes({ changes }: { changes: HistoryEntry['changes'] }) {
  const told = Object.entries(changes).filter(([field]) => !UNTOLD.includes(field));
  if (told.length === 0) return null;
  return (
    <dl className="memory-changes">
      {told.map(([field, { from, to }]) => (
        <div key={field}>
          <dt>{sentence(field)}</dt>
          <dd>
            {hasWords(from) && <del>{inWords(from)}</del>} <ins>{inWords(to)}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const hasWords = (value: unknown): boolean => value !== null && value !== undefined && value !== '';

function inWords(value: unknown): string {
  if (!hasWords(value)) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'number') return String(Math.round(value * 100) / 100);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
