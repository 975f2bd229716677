import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type Proof, sendProofCode } from '../api/identity.js';
import { Button } from '../ui/button.js';
import { ErrorNote, Note } from '../ui/feedback.js';
import { PasswordField, TextField } from '../ui/field.js';

/** Confirms the user's identity by password, or by an emailed code for users without one. */
export function ProofField({
  hasPassword,
  onChange,
}: {
  hasPassword: boolean;
  onChange(proof: Proof): void;
}) {
  const [text, setText] = useState('');
  const [sent, setSent] = useState(false);
  const send = useAction(async () => {
    await sendProofCode();
    setSent(true);
  });
  const change = (typed: string) => {
    setText(typed);
    onChange(hasPassword ? { password: typed } : { code: typed.trim() });
  };
  if (hasPassword) return <PasswordField value={text} onChange={change} />;
  return (
    <>
      {sent && <Note tone="good">A code is on its way to your address. It works for ten minutes.</Note>}
      {send.fault && <ErrorNote fault={send.fault} />}
      <Button busy={send.busy} onClick={() => void send.run()}>
        {sent ? 'Mail me another code' : 'Mail me a code'}
      </Button>
      <TextField
        label="Code"
        field="code"
        autoComplete="one-time-code"
        required
        maxLength={64}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
    </>
  );
}
