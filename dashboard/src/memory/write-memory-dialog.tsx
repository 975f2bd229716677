import { useState } from 'react';
import { useAction } from '../api/action.js';
import { createMemory } from '../api/memory.js';
import { refresh } from '../api/resource.js';
import { FormDialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';
import { EMPTY_DRAFT, inputOf, MemoryFields } from './memory-form.js';

export function WriteMemoryDialog({ agentId, onClose }: { agentId?: string; onClose(): void }) {
  const toast = useToast();
  const [agent, setAgent] = useState(agentId ?? '');
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const action = useAction(async () => {
    await createMemory({ agent_id: agent.trim(), ...inputOf(draft) });
    refresh('memor');
    toast({ text: 'The memory is written' });
    onClose();
  });
  return (
    <FormDialog
      title="Write a memory"
      submit="Write memory"
      shape="wide"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      {agentId === undefined && (
        <TextField
          label="Agent id"
          required
          maxLength={255}
          pattern="[A-Za-z0-9_\-]+"
          hint="Letters, digits, _ and -. An id nobody owns becomes your workspace's."
          value={agent}
          onChange={(event) => setAgent(event.target.value)}
        />
      )}
      <MemoryFields draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}
