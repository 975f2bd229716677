import { type ReactNode, useState } from 'react';
import { useAction } from '../api/action.js';
import { FormDialog } from '../ui/dialog.js';
import { TextField } from '../ui/field.js';

interface EraseProps {
  name: string;
  word: string;
  erase(): Promise<void>;
  children: ReactNode;
  onClose(): void;
}

export function EraseDialog({ name, word, erase, children, onClose }: EraseProps) {
  const [typed, setTyped] = useState('');
  const action = useAction(erase);
  return (
    <FormDialog
      title={`Erase ${name}?`}
      submit="Erase permanently"
      tone="danger"
      guard="none"
      disabled={typed !== word}
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <p>{children}</p>
      <TextField
        label={`Type ${word} to confirm`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  );
}
