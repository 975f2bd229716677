import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { resetPassword } from '../api/identity.js';
import { navigate } from '../shell/router.js';
import { useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Note } from '../ui/feedback.js';
import { PasswordField } from '../ui/field.js';
import { Form, FormFault } from '../ui/refusal.js';
import { Entrance } from './entrance.js';

export function ResetPasswordPage({ token }: { token: string }) {
  const { check } = useSessionState();
  const [password, setPassword] = useState('');
  const [done, setDone] = useState(false);
  const action = useAction(async () => {
    await resetPassword(token, password);
    setDone(true);
    // The reset ended all sessions, possibly including the one in this browser.
    await check();
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    void action.run();
  }

  if (done) {
    return (
      <Entrance title="Password changed">
        <Note tone="good">Your password was changed. Your other sessions were ended.</Note>
        <Button
          tone="primary"
          className="button-wide"
          onClick={() => navigate('/sign-in', { replace: true })}
        >
          Sign in
        </Button>
      </Entrance>
    );
  }
  if (token === '') {
    return (
      <Entrance title="Choose a new password">
        <Note tone="warn">This address is incomplete. Open the link from your mail again.</Note>
      </Entrance>
    );
  }
  return (
    <Entrance title="Choose a new password" lead="The link works once, for one hour.">
      <Form fault={action.fault} busy={action.busy} className="stack" onSubmit={submit}>
        <PasswordField label="New password" fresh value={password} onChange={setPassword} />
        <FormFault />
        <Button type="submit" tone="primary" busy={action.busy} className="button-wide">
          Set password
        </Button>
      </Form>
    </Entrance>
  );
}
