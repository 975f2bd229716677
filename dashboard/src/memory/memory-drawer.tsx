import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { changeMemory, deleteMemory, type Memory, type MemoryPatch, readMemory } from '../api/memory.js';
import { putResource, refresh, useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Confirm, Dialog } from '../ui/dialog.js';
import { Badge, Facts, Meter, sentence, Time } from '../ui/display.js';
import { ErrorNote, Loaded, Note } from '../ui/feedback.js';
import { useToast } from '../ui/toast.js';
import { inputOf, type MemoryDraft, MemoryFields } from './memory-form.js';

const keyOf = (id: string): string => `memory:${id}`;

export function MemoryDrawer({ memoryId, onClose }: { memoryId: string; onClose(): void }) {
  const memory = useResource(keyOf(memoryId), (signal) => readMemory(memoryId, signal));
  return (
    <Dialog shape="drawer" title="Memory" onClose={onClose}>
      <Loaded of={memory} rows={8}>
        {(data) => <MemoryDetail memory={data} onClose={onClose} />}
      </Loaded>
    </Dialog>
  );
}

function MemoryDetail({ memory, onClose }: { memory: Memory; onClose(): void }) {
  const [editing, setEditing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const toast = useToast();
  const change = useAction(async (patch: MemoryPatch, said: string) => {
    const changed = await changeMemory(memory.id, patch);
    putResource<Memory>(keyOf(memory.id), () => changed);
    refresh('memories:');
    refresh('memory-stats:');
    toast({ text: said });
  });
  if (editing) return <CorrectForm memory={memory} onDone={() => setEditing(false)} />;
  const archived = memory.status === 'archived';
  return (
    <div className="stack">
      <div className="row-title">
        <Badge tone="accent">{memory.kind}</Badge>
        <Badge tone={memory.status === 'active' ? 'good' : 'plain'}>{memory.status}</Badge>
        {memory.importance !== 'normal' && <Badge tone="warn">{memory.importance}</Badge>}
      </div>
      <h3 className="drawer-title">{memory.title}</h3>
      {memory.description && <p className="muted">{memory.description}</p>}
      <div className="prose">{memory.body}</div>
      {memory.stale && <Note tone="warn">{memory.stale_caveat}</Note>}
      <MemoryFacts memory={memory} />
      {change.fault && <ErrorNote fault={change.fault} />}
      <div className="form-bar">
        <Button tone="primary" onClick={() => setEditing(true)}>
          Correct
        </Button>
        <Button
          busy={change.busy}
          onClick={() => void change.run({}, 'Verified: the full confidence is back')}
        >
          Still true
        </Button>
        {memory.status !== 'merged' && (
          <Button
            busy={change.busy}
            onClick={() =>
              void change.run(
                { status: archived ? 'active' : 'archived' },
                archived ? 'Active again' : 'Archived: it has left search',
              )
            }
          >
            {archived ? 'Bring back' : 'Archive'}
          </Button>
        )}
        <Button tone="quiet" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      {deleting && (
        <Confirm
          title="Delete this memory?"
          submit="Delete memory"
          onClose={() => setDeleting(false)}
          perform={async () => {
            await deleteMemory(memory.id);
            refresh('memories:');
            refresh('memory-stats:');
            toast({ text: 'The memory is deleted' });
            onClose();
          }}
        >
          <p>
            It leaves search at once and MEMORY.md at the next hourly export. To keep it out of sight only,
            archive it.
          </p>
        </Confirm>
      )}
    </div>
  );
}

function MemoryFacts({ memory }: { memory: Memory }) {
  const items: [string, React.ReactNode][] = [
    ['Confidence', <Meter key="c" value={memory.confidence} label="Confidence" />],
    [
      'Agent',
      <span key="a" className="mono">
        {memory.agent_id}
      </span>,
    ],
    ['Importance', sentence(memory.importance)],
    ['Tags', memory.tags.length > 0 && memory.tags.map((tag) => <Badge key={tag}>{tag}</Badge>)],
    ['Learned by', memory.source && `${memory.source.extractor} extractor, from a conversation`],
    ['Verified', <Time key="v" at={memory.last_verified_at} />],
    ['Written', <Time key="w" at={memory.created_at} />],
    ['Merged into', memory.merged_into && <span className="mono">{memory.merged_into}</span>],
    ['Merged from', (memory.merged_from?.length ?? 0) > 0 && `${memory.merged_from?.length} learnings`],
  ];
  return <Facts items={items.filter(([, value]) => Boolean(value))} />;
}

const draftOf = (memory: Memory): MemoryDraft => ({
  kind: memory.kind,
  title: memory.title,
  body: memory.body,
  description: memory.description ?? '',
  tags: memory.tags.join(', '),
  confidence: String(memory.confidence),
  importance: memory.importance,
});

function CorrectForm({ memory, onDone }: { memory: Memory; onDone(): void }) {
  const [draft, setDraft] = useState(draftOf(memory));
  const toast = useToast();
  const save = useAction(async () => {
    const changed = await changeMemory(memory.id, differences(draft, memory));
    putResource<Memory>(keyOf(memory.id), () => changed);
    refresh('memories:');
    refresh('memory-stats:');
    toast({ text: 'Corrected' });
    onDone();
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    void save.run();
  }
  return (
    <form className="stack" onSubmit={submit}>
      <MemoryFields draft={draft} onChange={setDraft} />
      {save.fault && <ErrorNote fault={save.fault} />}
      <div className="form-bar">
        <Button type="submit" tone="primary" busy={save.busy}>
          Save correction
        </Button>
        <Button tone="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** Only what the person changed: an untouched confidence must not be set to its decayed value. */
function differences(draft: MemoryDraft, memory: Memory): MemoryPatch {
  const before = draftOf(memory);
  const input = inputOf(draft);
  return Object.fromEntries(
    Object.entries(input).filter(([field]) => {
      const key = field as keyof MemoryDraft;
      return draft[key] !== before[key];
    }),
  );
}
