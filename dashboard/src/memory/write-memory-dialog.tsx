import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type CreatedMemory, createMemory } from '../api/memory.js';
import { refresh } from '../api/resource.js';
import { navigate } from '../shell/router.js';
import { FormDialog } from '../ui/dialog.js';
import { useDraft } from '../ui/draft.js';
import { TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';
import { EMPTY_DRAFT, inputOf, MemoryFields } from './memory-form.js';
import { SimilarDialog } from './similar-dialog.js';

export function WriteMemoryDialog({ agentId, onClose }: { agentId?: string; onClose(): void }) {
  const toast = useToast();
  const draft = useDraft(`new-memory:${agentId ?? ''}`, { agent: agentId ?? '', memory: EMPTY_DRAFT });
  const { agent, memory } = draft.value;
  const [made, setMade] = useState<CreatedMemory>();
  const action = useAction(async () => {
    const written = await createMemory({ agent_id: agent.trim(), ...inputOf(memory) });
    draft.clear();
    refresh('memor');
    if (written.similar?.length) return setMade(written);
    onClose();
    const address = `/dashboard/memory/${encodeURIComponent(written.agent_id)}?memory=${written.id}`;
    toast({ text: 'Memory saved', action: { label: 'Open', perform: () => navigate(address) } });
  });
  if (made) return <SimilarDialog made={made} onClose={onClose} />;
  return (
    <FormDialog
      title="Write a memory"
      submit="Write memory"
      shape="wide"
      guard="none"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      {agentId === undefined && (
        <TextField
          label="Agent id"
          field="agent_id"
          required
          maxLength={255}
          pattern="[A-Za-z0-9_\-]+"
          hint="Letters, digits, _ and -. A new id is reserved for your workspace."
          value={agent}
          onChange={(event) => draft.set({ agent: event.target.value, memory })}
        />
      )}
      <MemoryFields draft={memory} onChange={(changed) => draft.set({ agent, memory: changed })} />
    </FormDialog>
  );
}
