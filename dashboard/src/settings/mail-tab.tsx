import { type FormEvent, useEffect, useState } from 'react';
import { useAction } from '../api/action.js';
import { useResource } from '../api/resource.js';
import { checkMailName, renameMailAddress } from '../api/workspace.js';
import { Button } from '../ui/button.js';
import { formatInstant } from '../ui/display.js';
import { ErrorNote, Note, Skeleton } from '../ui/feedback.js';
import { TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';

const TYPING_PAUSE_MS = 250;
const RULE = '3 to 30 lowercase letters, numbers or hyphens; starts and ends with a letter or number.';
/** Any well-formed name: the answer tells the domain, or that the person has no address at all. */
const PROBE = 'postmaster';

export function MailTab() {
  const domain = useResource('mail-domain', (signal) => checkMailName(PROBE, signal));
  if (domain.loading) return <Skeleton rows={2} />;
  if (domain.fault?.status === 404) return <Note>You have no Guildhall address.</Note>;
  if (!domain.data) return domain.fault ? <ErrorNote fault={domain.fault} onRetry={domain.reload} /> : null;
  return <RenameForm domain={domain.data.domain} />;
}

function RenameForm({ domain }: { domain: string }) {
  const [name, setName] = useState('');
  const [settled, setSettled] = useState('');
  const rename = useAction((wanted: string) => renameMailAddress(wanted));
  const [renamed, setRenamed] = useState<Awaited<ReturnType<typeof renameMailAddress>>>();

  useEffect(() => {
    const timer = setTimeout(() => setSettled(name), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [name]);
  const check = useResource(settled ? `mail-name:${settled}` : null, (signal) =>
    checkMailName(settled, signal),
  );

  async function submit(event: FormEvent) {
    event.preventDefault();
    const answer = await rename.run(name);
    if (!answer) return;
    setRenamed(answer);
    setName('');
  }

  return (
    <Section title="Your address" lead={`On ${domain}. Mail to the old address is forwarded for 30 days.`}>
      {renamed && (
        <Note tone="good">
          Your address is now <strong>{renamed.address}</strong>. Mail to {renamed.forwarding_from} is
          forwarded until {formatInstant(renamed.forwards_until)}.
        </Note>
      )}
      <form className="stack narrow" onSubmit={(event) => void submit(event)}>
        <TextField
          label="New name"
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
        {rename.fault && <ErrorNote fault={rename.fault} />}
        <div className="form-bar">
          <Button type="submit" tone="primary" busy={rename.busy} disabled={name === ''}>
            Change address
          </Button>
        </div>
      </form>
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
