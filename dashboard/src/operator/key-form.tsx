import { useEffect, useRef, useState } from 'react';
import { useAction } from '../api/action.js';
import { unlock, useLockReason } from '../api/operator.js';
import { Button } from '../ui/button.js';
import { Note } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';

/** Asks for the operator key and clears the field after each attempt. */
export function KeyForm() {
  const [key, setKey] = useState('');
  const reason = useLockReason();
  const form = useRef<HTMLFormElement>(null);
  const action = useAction(async (tried: string) => {
    await unlock(tried);
  });
  useEffect(() => {
    document.title = 'Operator · Guildhall';
    form.current?.querySelector('input')?.focus();
  }, []);
  return (
    <Form
      fault={action.fault}
      busy={action.busy}
      ref={form}
      className="operator-key stack"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        const tried = key.trim();
        setKey('');
        void action.run(tried).then(() => form.current?.querySelector('input')?.focus());
      }}
    >
      <h1>Operator</h1>
      <p className="muted">
        For operators of this service. The key is ADMIN_API_KEY, or the key that the first start printed and
        stored in the data folder.
      </p>
      {reason && <Note tone="warn">{reason}</Note>}
      <TextField
        label="Operator's key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        required
        hint="Kept in this tab until you lock, reload or close it."
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <FormFault />
      <Button type="submit" tone="primary" busy={action.busy}>
        Unlock
      </Button>
    </Form>
  );
}
