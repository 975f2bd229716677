import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { answerChallenge } from '../api/identity.js';
import { useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';

export function CodeForm({ challenge, onGiveUp }: { challenge: string; onGiveUp(): void }) {
  const { check } = useSessionState();
  const [code, setCode] = useState('');
  const action = useAction(async () => {
    await answerChallenge(challenge, code.trim());
    await check();
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    void action.run();
  }

  return (
    <>
      <Form fault={action.fault} busy={action.busy} className="stack" onSubmit={submit}>
        <TextField
          label="Code"
          field="code"
          autoComplete="one-time-code"
          autoFocus
          required
          maxLength={64}
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        <FormFault />
        <Button type="submit" tone="primary" busy={action.busy} className="button-wide">
          Sign in
        </Button>
      </Form>
      <button type="button" className="text-button" onClick={onGiveUp}>
        Start over
      </button>
    </>
  );
}
