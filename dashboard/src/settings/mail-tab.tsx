import { type FormEvent, useState } from 'react';
import { useAction } from '../api/action.js';
import { refresh, useResource } from '../api/resource.js';
import { checkMailName, readMailAddress, renameMailAddress } from '../api/workspace.js';
import { Button } from '../ui/button.js';
import { CodeLine, formatInstant } from '../ui/display.js';
import { ErrorNote, Note, Skeleton } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useSettled } from '../ui/settled.js';

const RULE = '3 to 30 lowercase letters, numbers or hyphens; starts and ends with a letter or number.';

export function MailTab() {
  const present = useResource('mail-address', readMailAddress);
  if (present.loading) return <Skeleton rows={2} />;
  if (present.fault?.status === 404) return <Note>You have no Guildhall address.</Note>;
  if (!present.data)
    return present.fault ? <ErrorNote fault={present.fault} onRetry={present.reload} /> : null;
  const { address, forwards } = present.data;
  return (
    <>
      <Section title="Your address" lead="Mail to this address is forwarded to your own.">
        <CodeLine label="Address" code={address} />
        {forwards.length > 0 && (
          <ul className="plain-list small muted">
            {forwards.map((old) => (
              <li key={old.address}>
                Mail to {old.address} is forwarded until {formatInstant(old.until)}.
              </li>
            ))}
          </ul>
        )}
      </Section>
      <RenameForm domain={address.slice(address.indexOf('@') + 1)} />
    </>
  );
}

function RenameForm({ domain }: { domain: string }) {
  const [name, setName] = useState('');
  const settled = useSettled(name);
  const rename = useAction((wanted: string) => renameMailAddress(wanted));
  const [renamed, setRenamed] = useState<Awaited<ReturnType<typeof renameMailAddress>>>();

  const check = useResource(settled ? `mail-name:${settled}` : null, (signal) =>
    checkMailName(settled, signal),
  );

  async function submit(event: FormEvent) {
    event.preventDefault();
    const answer = await rename.run(name);
    if (!answer) return;
    setRenamed(answer);
    setName('');
    refresh('mail-address');
  }

  return (
    <Section title="Another name" lead={`On ${domain}. Mail to the old address is forwarded for 30 days.`}>
      {renamed && (
        <Note tone="good">
          Your address is now <strong>{renamed.address}</strong>. Mail to {renamed.forwarding_from} is
          forwarded until {formatInstant(renamed.forwards_until)}.
        </Note>
      )}
      <Form
        fault={rename.fault}
        busy={rename.busy}
        className="stack narrow"
        onSubmit={(event) => void submit(event)}
      >
        <TextField
          label="New name"
          field="name"
          autoComplete="off"
          spellCheck={false}
          required
          maxLength={30}
          value={name}
          hint={<Verdict name={name} settled={settled} check={check} domain={domain} />}
          onChange={(event) => {
            rename.clear();
            setName(event.target.value);
          }}
        />
        <FormFault />
        <div className="form-bar">
          <Button type="submit" tone="primary" busy={rename.busy} disabled={name === ''}>
            Change address
          </Button>
        </div>
      </Form>
    </Section>
  );
}

interface VerdictProps {
  name: string;
  settled: string;
  domain: string;
  check: ReturnType<typeof useResource<{ available: boolean }>>;
}

function Verdict({ name, settled, check, domain }: VerdictProps) {
  if (name === '') return <span>{RULE}</span>;
  const address = `${name}@${domain}`;
  if (name !== settled || check.loading) return <span aria-live="polite">{address}: asking</span>;
  if (check.fault) return <span className="bad">{check.fault.message}</span>;
  return check.data?.available ? (
    <span className="good" aria-live="polite">
      {address} is available
    </span>
  ) : (
    <span className="bad" aria-live="polite">
      {address} is not available
    </span>
  );
}
