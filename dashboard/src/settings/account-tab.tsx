import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { beginTotp, changePassword, confirmTotp, type Proof, readMe, removeTotp } from '../api/identity.js';
import { useResource } from '../api/resource.js';
import { Button } from '../ui/button.js';
import { countOf } from '../ui/display.js';
import { ErrorNote, Note, Skeleton } from '../ui/feedback.js';
import { PasswordField, TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Form, FormFault } from '../ui/refusal.js';
import { SecretDialog } from '../ui/secret-dialog.js';
import { ProofField } from './proof-field.js';
import { QrCode } from './qr-code.js';

export function AccountTab() {
  const me = useResource('me', readMe);
  const [codes, setCodes] = useState<string[]>();
  if (!me.data) return me.fault ? <ErrorNote fault={me.fault} onRetry={me.reload} /> : <Skeleton rows={3} />;
  const { mfa, sign_in } = me.data;
  return (
    <>
      <Section
        title="Two-factor sign-in"
        lead="A code from your authenticator app in addition to your password."
      >
        {codes && (
          <SecretDialog
            title="Your recovery codes"
            secrets={{ 'Recovery codes': codes.join('\n') }}
            onClose={() => setCodes(undefined)}
          >
            Two-factor sign-in is on. Each of these codes works once in place of your authenticator.
          </SecretDialog>
        )}
        {mfa.totp ? (
          <>
            <p>On, with {countOf(mfa.recovery_codes_left, 'recovery code')} left.</p>
            <RemoveForm hasPassword={sign_in.includes('password')} onDone={me.reload} />
          </>
        ) : (
          <SetUp
            onDone={(fresh) => {
              setCodes(fresh);
              me.reload();
            }}
          />
        )}
      </Section>
      {sign_in.includes('password') && <PasswordSection />}
    </>
  );
}

function SetUp({ onDone }: { onDone(codes: string[]): void }) {
  const [code, setCode] = useState('');
  const [begun, setBegun] = useState<{ secret: string; uri: string }>();
  const begin = useAction(async () => setBegun(await beginTotp()));
  const confirm = useAction(async () => onDone((await confirmTotp(code.trim())).recovery_codes));
  if (!begun) {
    return (
      <div className="stack narrow">
        {begin.fault && <ErrorNote fault={begin.fault} />}
        <Button tone="primary" busy={begin.busy} onClick={() => void begin.run()}>
          Set it up
        </Button>
      </div>
    );
  }
  return (
    <Form
      fault={confirm.fault}
      busy={confirm.busy}
      className="stack narrow"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void confirm.run();
      }}
    >
      <p>
        Scan this with your authenticator, <a href={begun.uri}>open it there</a>, or type the secret:
      </p>
      <QrCode text={begun.uri} label="The secret as a picture for your authenticator" />
      <code>{begun.secret}</code>
      <TextField
        label="Code"
        field="code"
        autoComplete="one-time-code"
        required
        maxLength={64}
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      <FormFault />
      <Button type="submit" tone="primary" busy={confirm.busy}>
        Confirm
      </Button>
    </Form>
  );
}

function RemoveForm({ hasPassword, onDone }: { hasPassword: boolean; onDone(): void }) {
  const [proof, setProof] = useState<Proof>({ password: '' });
  const remove = useAction(async () => {
    await removeTotp(proof);
    onDone();
  });
  return (
    <Form
      fault={remove.fault}
      busy={remove.busy}
      className="stack narrow"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void remove.run();
      }}
    >
      <ProofField hasPassword={hasPassword} onChange={setProof} />
      <FormFault />
      <Button type="submit" busy={remove.busy}>
        Turn it off
      </Button>
    </Form>
  );
}

function PasswordSection() {
  const [current, setCurrent] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [done, setDone] = useState(false);
  const change = useAction(async () => {
    await changePassword(current, newPassword);
    setCurrent('');
    setNewPassword('');
    setDone(true);
  });
  return (
    <Section title="Password" lead="Changing it ends all your other sessions.">
      {done && <Note tone="good">Your password was changed.</Note>}
      <Form
        fault={change.fault}
        busy={change.busy}
        className="stack narrow"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void change.run();
        }}
      >
        <PasswordField label="Current password" field="current" value={current} onChange={setCurrent} />
        <PasswordField label="New password" field="new" fresh value={newPassword} onChange={setNewPassword} />
        <FormFault />
        <Button type="submit" tone="primary" busy={change.busy}>
          Change password
        </Button>
      </Form>
    </Section>
  );
}
