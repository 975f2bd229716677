import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { signIn } from '../api/identity.js';
import { useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { PasswordField, TextField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';

interface PasswordFormProps {
  /** The email address of a returning user. */
  email?: string;
  brandId?: number;
  onChallenge(challenge: string): void;
}

export function PasswordForm({ email: known = '', brandId: wanted, onChallenge }: PasswordFormProps) {
  const { check } = useSessionState();
  const [email, setEmail] = useState(known);
  const [password, setPassword] = useState('');
  const [brandId, setBrandId] = useState(wanted === undefined ? '' : String(wanted));
  const [choosing, setChoosing] = useState(false);
  const action = useAction(async () => {
    const brand = brandId && { brand_id: Number(brandId) };
    const answer = await signIn({ email: email.trim(), password, ...brand });
    if ('challenge' in answer) onChallenge(answer.challenge);
    else await check();
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    void action.run();
  }

  return (
    <Form fault={action.fault} busy={action.busy} className="stack" onSubmit={submit}>
      <TextField
        label="E-mail"
        field="email"
        type="email"
        autoComplete="username"
        autoFocus={known === ''}
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <PasswordField value={password} onChange={setPassword} />
      {wanted !== undefined ? null : choosing ? (
        <TextField
          label="Workspace number"
          field="brand_id"
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
      <FormFault />
      <Button type="submit" tone="primary" busy={action.busy} className="button-wide">
        Sign in
      </Button>
    </Form>
  );
}
