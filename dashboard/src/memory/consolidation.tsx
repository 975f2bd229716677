import { useState } from 'react';
import { type Memory, readMemory, unmergeMemory } from '../api/memory.js';
import { refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Loaded } from '../ui/feedback.js';
import { focusHeading } from '../ui/row-focus.js';
import { useToast } from '../ui/toast.js';
import { announceChange, memoryKey } from './memory-changes.js';

interface ConsolidationProps {
  memory: Memory;
  onOpenOther(id: string): void;
}

/** The parts of a pattern, or the pattern that a memory was merged into, with an undo. */
export function Consolidation({ memory, onOpenOther }: ConsolidationProps) {
  if (memory.merged_into)
    return (
      <section className="stack-tight" aria-label="Merged into">
        <h3>Part of a pattern</h3>
        <Part id={memory.merged_into} onOpen={onOpenOther} />
      </section>
    );
  if (memory.merged_from.length === 0) return null;
  return <MadeOf memory={memory} onOpenOther={onOpenOther} />;
}

const MOST_SHOWN = 12;

function MadeOf({ memory, onOpenOther }: ConsolidationProps) {
  const [undoing, setUndoing] = useState(false);
  const toast = useToast();
  const parts = useResource(`memory-parts:${memory.id}`, (signal) =>
    Promise.all(memory.merged_from.slice(0, MOST_SHOWN).map((id) => readMemory(id, signal))),
  );
  const count = memory.merged_from.length;
  const rest = count - MOST_SHOWN;
  const undone = memory.status !== 'active';
  return (
    <section className="stack-tight" aria-label="Merged from">
      <header className="section-head">
        <h3>
          Merged from {count} {count === 1 ? 'learning' : 'learnings'}
        </h3>
        {!undone && (
          <Button small onClick={() => setUndoing(true)}>
            Undo merge
          </Button>
        )}
      </header>
      <Loaded of={parts} rows={2}>
        {(data) => (
          <ul className="rows">
            {data.map((part) => (
              <li key={part.id}>
                <button type="button" className="row" onClick={() => onOpenOther(part.id)}>
                  <span className="row-main">
                    <span>{part.title}</span>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {rest > 0 && <p className="muted small">and {rest} more</p>}
      {undoing && (
        <Confirm
          title="Undo merge?"
          submit={`Restore ${count} ${count === 1 ? 'learning' : 'learnings'}`}
          tone="primary"
          onClose={() => {
            setUndoing(false);
            // The button that opened the dialog may have disappeared with the pattern.
            requestAnimationFrame(() => document.activeElement === document.body && focusHeading());
          }}
          perform={async () => {
            const { pattern, restored } = await unmergeMemory(memory.id);
            for (const each of restored) announceChange(each);
            announceChange(pattern);
            refresh('memory-parts:');
            toast({
              text: `${restored.length} ${restored.length === 1 ? 'learning is' : 'learnings are'} back; the pattern is archived`,
            });
          }}
        >
          <p>These memories are restored and never merged again. The pattern is archived:</p>
          <ul className="bullets">
            {parts.data?.map((part) => (
              <li key={part.id}>{part.title}</li>
            ))}
            {rest > 0 && <li>and {rest} more</li>}
          </ul>
        </Confirm>
      )}
    </section>
  );
}

function Part({ id, onOpen }: { id: string; onOpen(id: string): void }) {
  const part = useResource(memoryKey(id), (signal) => readMemory(id, signal));
  return (
    <Loaded of={part} rows={1}>
      {(data) => (
        <button type="button" className="text-button" onClick={() => onOpen(id)}>
          {data.title}
        </button>
      )}
    </Loaded>
  );
}
