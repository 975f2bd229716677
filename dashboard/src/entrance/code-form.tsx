import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { answerChallenge } from '../api/identity.js';
import { useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { ErrorNote } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';

/** The second step of a sign-in. */
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
      <form className="stack" onSubmit={submit}>
        <TextField
          label="Code"
          autoComplete="one-time-code"
          autoFocus
          required
          maxLength={64}
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        {action.fault && <ErrorNote fault={action.fault} />}
        <Button type="submit" tone="primary" busy={action.busy} className="button-wide">
          Sign in
        </Button>
      </form>
      <button type="button" className="text-button" onClick={onGiveUp}>
        Begin anew
      </button>
    </>
  );
}
