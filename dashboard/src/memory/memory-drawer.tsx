import { type ReactNode, useState } from 'react';
import { useAction } from '../api/action.js';
import { changeMemory, deleteMemory, type Memory, type MemoryPatch, readMemory } from '../api/memory.js';
import { useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { Confirm, Dialog } from '../ui/dialog.js';
import { Badge, Facts, Meter, sentence, Time } from '../ui/display.js';
import { ErrorNote, Loaded, Note } from '../ui/feedback.js';
import { Markdown } from '../ui/markdown.js';
import { useToast } from '../ui/toast.js';
import { Consolidation } from './consolidation.js';
import { EditForm } from './edit-form.js';
import { HistoryList } from './history-list.js';
import { announceChange, memoryKey, refreshAround } from './memory-changes.js';

interface DrawerProps {
  memoryId: string;
  onClose(): void;
  onOpenOther(id: string): void;
}

export function MemoryDrawer({ memoryId, onClose, onOpenOther }: DrawerProps) {
  const memory = useResource(memoryKey(memoryId), (signal) => readMemory(memoryId, signal));
  return (
    // Edits are kept as a draft, so closing needs no confirmation.
    <Dialog shape="drawer" title="Memory" guard="none" onClose={onClose}>
      <Loaded of={memory} rows={8}>
        {(data) => <MemoryDetail memory={data} onClose={onClose} onOpenOther={onOpenOther} />}
      </Loaded>
    </Dialog>
  );
}

interface DetailProps {
  memory: Memory;
  onClose(): void;
  onOpenOther(id: string): void;
}

function MemoryDetail({ memory, onClose, onOpenOther }: DetailProps) {
  const [editing, setEditing] = useState(false);
  if (editing) return <EditForm memory={memory} onDone={() => setEditing(false)} />;
  return (
    <div className="stack">
      <div className="row-title">
        <Badge tone="accent">{memory.kind}</Badge>
        <Badge tone={memory.status === 'active' ? 'good' : 'plain'}>{memory.status}</Badge>
        {memory.importance !== 'normal' && <Badge tone="info">{memory.importance}</Badge>}
        {memory.stale && <Badge tone="warn">stale</Badge>}
      </div>
      <h3 className="drawer-title">{memory.title}</h3>
      {memory.description && <p className="muted">{memory.description}</p>}
      <Markdown text={memory.body} />
      {memory.stale && <Note tone="warn">{memory.stale_caveat}</Note>}
      <MemoryActions memory={memory} onEdit={() => setEditing(true)} onClose={onClose} />
      <MemoryFacts memory={memory} />
      <Consolidation memory={memory} onOpenOther={onOpenOther} />
      <HistoryList memoryId={memory.id} />
    </div>
  );
}

interface ActionsProps {
  memory: Memory;
  onEdit(): void;
  onClose(): void;
}

function MemoryActions({ memory, onEdit, onClose }: ActionsProps) {
  const [deleting, setDeleting] = useState(false);
  const toast = useToast();
  const change = useAction(async (patch: MemoryPatch, said: string, undo?: MemoryPatch) => {
    announceChange(await changeMemory(memory.id, patch));
    toast({
      text: said,
      action: undo && { label: 'Undo', perform: () => void change.run(undo, 'It was not changed') },
    });
  });
  const archived = memory.status === 'archived';
  return (
    <>
      {change.fault && <ErrorNote fault={change.fault} />}
      <div className="form-bar">
        <Button tone="primary" onClick={onEdit}>
          Edit
        </Button>
        <Button
          aria-disabled={change.busy || undefined}
          onClick={() => void change.run({}, 'Verified. Confidence restored')}
        >
          Still true
        </Button>
        {memory.status !== 'merged' && (
          <Button
            aria-disabled={change.busy || undefined}
            onClick={() =>
              void (archived
                ? change.run({ status: 'active' }, 'Active again', { status: 'archived' })
                : change.run({ status: 'archived' }, 'Archived. Search no longer finds it', {
                    status: 'active',
                  }))
            }
          >
            {archived ? 'Restore' : 'Archive'}
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
            refreshAround(memory.id);
            toast({ text: 'The memory is deleted' });
            onClose();
          }}
        >
          <p>
            This removes the memory and its history from search now and from MEMORY.md at the next hourly
            export. Archive it instead to hide it only.
          </p>
        </Confirm>
      )}
    </>
  );
}

const EXTRACTORS = { model: 'the language model', 'rule-based': 'rules' } as const;

function MemoryFacts({ memory }: { memory: Memory }) {
  const items: [string, ReactNode][] = [
    ['Confidence', <Meter key="c" value={memory.confidence} label="Confidence" />],
    [
      'Agent',
      <span key="a" className="mono">
        {memory.agent_id}
      </span>,
    ],
    ['Importance', sentence(memory.importance)],
    ['Tags', memory.tags.length > 0 && memory.tags.map((tag) => <Badge key={tag}>{tag}</Badge>)],
    ['Learned by', memory.source && `${EXTRACTORS[memory.source.extractor]}, from a conversation`],
    ['Verified', <Time key="v" at={memory.last_verified_at} />],
    ['Written', <Time key="w" at={memory.created_at} />],
  ];
  return <Facts items={items.filter(([, value]) => Boolean(value))} />;
}
