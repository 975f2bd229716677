import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { signIn } from '../api/identity.js';
import { useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { ErrorNote, Note } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';
import { Entrance } from './entrance.js';

export function SignInPage({ next }: { next: string | null }) {
  const { check } = useSessionState();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [brandId, setBrandId] = useState('');
  const [choosing, setChoosing] = useState(false);
  const action = useAction(async () => {
    await signIn({ email: email.trim(), password, ...(brandId && { brand_id: Number(brandId) }) });
    await check();
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    void action.run();
  }

  return (
    <Entrance title="Sign in">
      {next?.startsWith('/invitations/') && <Note>Sign in to accept the invitation.</Note>}
      <form className="stack" onSubmit={submit}>
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {choosing ? (
          <TextField
            label="Workspace number"
            hint="Left empty, your first workspace opens."
            inputMode="numeric"
            pattern="[0-9]*"
            value={brandId}
            onChange={(event) => setBrandId(event.target.value)}
          />
        ) : (
          <button type="button" className="text-button" onClick={() => setChoosing(true)}>
            Choose a workspace
          </button>
        )}
        {action.fault && <ErrorNote fault={action.fault} />}
        <Button type="submit" tone="primary" busy={action.busy} className="button-wide">
          Sign in
        </Button>
      </form>
      <p className="muted small">
        Forgotten your password? An admin of your workspace can send you a reset link.
      </p>
    </Entrance>
  );
}
