import { useState } from 'react';
import { useAction } from '../api/action.js';
import { changeEnvironment, type Environment } from '../api/machines.js';
import { refresh } from '../api/resource.js';
import { FormDialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';

interface EditDeskProps {
  deskId: string;
  environment: Environment;
  onClose(): void;
}

export function EditDeskDialog({ deskId, environment, onClose }: EditDeskProps) {
  const [name, setName] = useState(environment.name);
  const [description, setDescription] = useState(environment.description ?? '');
  const action = useAction(async () => {
    await changeEnvironment(deskId, { name, description: description.trim() || null });
    for (const key of ['desk', 'environment']) refresh(key);
    onClose();
  });
  return (
    <FormDialog
      title="Rename or describe"
      submit="Save"
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
      <TextField
        label="Description"
        field="description"
        maxLength={2000}
        value={description}
        onChange={(event) => setDescription(event.target.value)}
      />
    </FormDialog>
  );
}
