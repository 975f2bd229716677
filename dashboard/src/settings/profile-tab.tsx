import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { eraseAccount, type Proof, readMe, rename } from '../api/identity.js';
import { useResource } from '../api/resource.js';
import { useSessionState } from '../shell/session.js';
import { chooseTheme, readTheme, type Theme } from '../shell/theme.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { Badge, Facts } from '../ui/display.js';
import { Loaded } from '../ui/feedback.js';
import { SelectField, TextField } from '../ui/field.js';
import { DownloadIcon } from '../ui/icons.js';
import { Section } from '../ui/page.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';
import { ProofField } from './proof-field.js';

export function ProfileTab() {
  const me = useResource('me', readMe);
  const [erasing, setErasing] = useState(false);
  return (
    <Loaded of={me}>
      {({ user, role, workspaces, sign_in }) => (
        <>
          <Section title="You">
            <NameForm name={user.full_name} />
            <Facts
              items={[
                ['E-mail', user.email],
                ['Role here', <Badge key="role">{role}</Badge>],
                ['Workspaces', workspaces.map(({ name }) => name).join(', ')],
              ]}
            />
          </Section>
          <Section title="Look" lead="For this browser.">
            <ThemeField />
          </Section>
          <Section title="Your data" lead="Everything the service knows about you, in all your workspaces.">
            <div className="form-bar">
              <a className="button" href="/api/v1/me/export" download="guildhall-my-data.json">
                <DownloadIcon size={16} /> Download as JSON
              </a>
              {sign_in.includes('password') && (
                <Button tone="danger" onClick={() => setErasing(true)}>
                  Erase my account
                </Button>
              )}
            </div>
          </Section>
          {erasing && (
            <EraseDialog hasPassword={sign_in.includes('password')} onClose={() => setErasing(false)} />
          )}
        </>
      )}
    </Loaded>
  );
}

function ThemeField() {
  const [theme, setTheme] = useState(readTheme);
  function choose(wanted: Theme) {
    chooseTheme(wanted);
    setTheme(wanted);
  }
  return (
    <SelectField label="Theme" value={theme} onChange={(event) => choose(event.target.value as Theme)}>
      <option value="system">As the system has it</option>
      <option value="light">Light</option>
      <option value="dark">Dark</option>
    </SelectField>
  );
}

function NameForm({ name: present }: { name: string }) {
  const { check } = useSessionState();
  const toast = useToast();
  const [name, setName] = useState(present);
  const save = useAction(async () => {
    await rename(name.trim());
    toast({ text: `You are called ${name.trim()}` });
    await check();
  });
  return (
    <Form
      fault={save.fault}
      busy={save.busy}
      className="inline-form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <TextField
        label="Full name"
        field="full_name"
        autoComplete="name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" busy={save.busy} disabled={name.trim() === present || !name.trim()}>
        Save
      </Button>
      <FormFault />
    </Form>
  );
}

function EraseDialog({ hasPassword, onClose }: { hasPassword: boolean; onClose(): void }) {
  const { end } = useSessionState();
  const [proof, setProof] = useState<Proof>({ password: '' });
  const erase = useAction(async () => {
    await eraseAccount(proof);
    end();
  });
  return (
    <FormDialog
      title="Erase your account?"
      submit="Erase my account"
      tone="danger"
      action={erase}
      onSubmit={() => void erase.run()}
      onClose={onClose}
    >
      <p>
        Your name and address are replaced by “Former member”, your photos and mailbox are deleted, and you
        are signed out everywhere. Cards and comments you wrote stay. This cannot be undone.
      </p>
      <ProofField hasPassword={hasPassword} onChange={setProof} />
    </FormDialog>
  );
}
