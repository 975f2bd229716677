import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type CreatedMemory, changeMemory } from '../api/memory.js';
import { Button } from '../ui/button.js';
import { Dialog } from '../ui/dialog.js';
import { ErrorNote } from '../ui/feedback.js';
import { announceChange, refreshAround } from './memory-changes.js';

export function SimilarDialog({ made, onClose }: { made: CreatedMemory; onClose(): void }) {
  const [replaced, setReplaced] = useState<readonly string[]>([]);
  const replace = useAction(async (memoryId: string) => {
    announceChange(await changeMemory(made.id, { supersedes: [memoryId] }));
    refreshAround(memoryId);
    setReplaced((known) => [...known, memoryId]);
  });
  return (
    <Dialog title="Similar memories" guard="none" onClose={onClose}>
      <div className="stack">
        <p>The memory was saved. The agent has a similar one already.</p>
        <ul className="rows">
          {(made.similar ?? []).map(({ memory_id, title, similarity }) => (
            <li key={memory_id} className="row">
              <span className="row-main">
                <span>{title}</span>
                <span className="muted small">{Math.round(similarity * 100)}% alike</span>
              </span>
              {replaced.includes(memory_id) ? (
                <span className="muted small">Replaced</span>
              ) : (
                <Button
                  small
                  busy={replace.busy}
                  aria-label={`Replace ${title}`}
                  onClick={() => void replace.run(memory_id)}
                >
                  Replace
                </Button>
              )}
            </li>
          ))}
        </ul>
        {replace.fault && <ErrorNote fault={replace.fault} />}
        <div className="dialog-actions">
          <Button tone="primary" onClick={onClose}>
            {replaced.length === 0 ? 'Keep both' : 'Done'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
