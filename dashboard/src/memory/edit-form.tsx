import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import { changeMemory, type Memory, type MemoryPatch } from '../api/memory.js';
import { Button } from '../ui/button.js';
import { useDraft } from '../ui/draft.js';
import { Note } from '../ui/feedback.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';
import { announceChange } from './memory-changes.js';
import { inputOf, type MemoryDraft, MemoryFields } from './memory-form.js';

const draftOf = (memory: Memory): MemoryDraft => ({
  kind: memory.kind,
  title: memory.title,
  body: memory.body,
  description: memory.description ?? '',
  tags: memory.tags.join(', '),
  confidence: String(memory.confidence),
  importance: memory.importance,
});

/** Keeps unsaved edits as a draft, even over Escape and a new sign-in. */
export function EditForm({ memory, onDone }: { memory: Memory; onDone(): void }) {
  const draft = useDraft(`memory:${memory.id}`, draftOf(memory));
  const [found] = useState(draft.dirty);
  const form = useRef<HTMLFormElement>(null);
  const toast = useToast();
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const save = useAction(async () => {
    const changed = await changeMemory(memory.id, differences(draft.value, memory));
    draft.clear();
    announceChange(changed);
    toast({ text: 'Saved' });
    onDone();
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    void save.run();
  }
  return (
    <Form fault={save.fault} busy={save.busy} className="stack" onSubmit={submit} ref={form}>
      {found && <Note>Your unsaved text is kept.</Note>}
      <MemoryFields draft={draft.value} onChange={draft.set} />
      <FormFault />
      <div className="form-bar">
        <Button type="submit" tone="primary" busy={save.busy}>
          Save changes
        </Button>
        <Button
          tone="quiet"
          onClick={() => {
            draft.clear();
            onDone();
          }}
        >
          Cancel
        </Button>
      </div>
    </Form>
  );
}

/** Sends only edited fields: an untouched confidence must not be set to its decayed value. */
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
