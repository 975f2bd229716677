import { useState } from 'react';
import { useAction } from '../api/action.js';
import { orderWorkstation, RUNTIMES, type Runtime, type Secrets } from '../api/machines.js';
import { refresh } from '../api/resource.js';
import { navigate } from '../shell/router.js';
import { FormDialog } from '../ui/dialog.js';
import { SelectField, TextField } from '../ui/field.js';
import { runtimeWords } from './desk-words.js';
import { InstallerDialog } from './installer-dialog.js';

export function OrderDialog({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [runtime, setRuntime] = useState<Runtime>('claude_code');
  const [region, setRegion] = useState('');
  const [description, setDescription] = useState('');
  const [secrets, setSecrets] = useState<Secrets>();
  const action = useAction(async () => {
    const order = await orderWorkstation({
      name,
      runtime,
      ...(region.trim() && { region: region.trim() }),
      ...(description.trim() && { description: description.trim() }),
    });
    refresh('desks');
    setSecrets(order);
  });
  if (secrets) {
    return (
      <InstallerDialog
        title="The desk is ordered"
        secrets={secrets}
        onClose={() => {
          onClose();
          navigate(`/dashboard/machines/${secrets.workstation_id}`);
        }}
      />
    );
  }
  return (
    <FormDialog
      title="Order a desk"
      submit="Order desk"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        field="name"
        required
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <div className="pair">
        <SelectField
          label="Runtime"
          field="runtime"
          value={runtime}
          onChange={(event) => setRuntime(event.target.value as Runtime)}
        >
          {RUNTIMES.map((each) => (
            <option key={each} value={each}>
              {runtimeWords(each)}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Region"
          field="region"
          hint="Only a note."
          value={region}
          onChange={(event) => setRegion(event.target.value)}
        />
      </div>
      <TextField
        label="Description"
        field="description"
        hint="The purpose of the desk in one line."
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}
