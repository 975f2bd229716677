import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { requestPasswordReset } from '../api/identity.js';
import { Button } from '../ui/button.js';
import { Note } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';
import { Entrance } from './entrance.js';

export function ForgottenForm({ onBack }: { onBack(): void }) {
  const [email, setEmail] = useState('');
  const [done, setDone] = useState(false);
  const action = useAction(async () => {
    await requestPasswordReset(email.trim());
    setDone(true);
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    void action.run();
  }

  return (
    <Entrance title="Forgot your password?" lead="We mail you a link to choose a new one.">
      {done ? (
        <Note tone="good">
          If this address has an account, we mailed a link to it. The link works for one hour.
        </Note>
      ) : (
        <Form fault={action.fault} busy={action.busy} className="stack" onSubmit={submit}>
          <TextField
            label="E-mail"
            field="email"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <FormFault />
          <Button type="submit" tone="primary" busy={action.busy} className="button-wide">
            Mail me a link
          </Button>
        </Form>
      )}
      <button type="button" className="text-button" onClick={onBack}>
        Back to sign-in
      </button>
    </Entrance>
  );
}
