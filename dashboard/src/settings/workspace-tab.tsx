import { type FormEvent, useId, useState } from 'react';
import { useAction } from '../api/action.js';
import { putResource, useResource } from '../api/resource.js';
import { changeWorkspace, type OwnWorkspace, readWorkspace } from '../api/workspace.js';
import { useIsAdmin, useSession, useSessionState } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Badge, Facts, sentence, Time } from '../ui/display.js';
import { ErrorNote, Loaded } from '../ui/feedback.js';
import { TextField, Toggle } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Form, FormFault } from '../ui/refusal.js';
import { useToast } from '../ui/toast.js';

export function WorkspaceTab() {
  const { brand } = useSession();
  const isAdmin = useIsAdmin();
  const key = `workspace:${brand.brand_id}`;
  const workspace = useResource(key, (signal) => readWorkspace(brand.brand_id, signal));
  return (
    <Loaded of={workspace}>
      {(data) => (
        <>
          <Section title="This workspace">
            {isAdmin && <NameForm workspace={data} resourceKey={key} />}
            {isAdmin && <TimezoneForm workspace={data} resourceKey={key} />}
            <Facts
              items={[
                ['Name', data.name],
                ['Time zone', data.timezone],
                ['Plan', <Badge key="plan">{sentence(data.plan)}</Badge>],
                [
                  'Number',
                  <span key="number" className="mono">
                    {data.brand_id}
                  </span>,
                ],
                ['Created', <Time key="created" at={data.created_at} exact />],
              ]}
            />
          </Section>
          <MfaSection workspace={data} resourceKey={key} />
        </>
      )}
    </Loaded>
  );
}

interface PartProps {
  workspace: OwnWorkspace;
  resourceKey: string;
}

function NameForm({ workspace, resourceKey }: PartProps) {
  const { check } = useSessionState();
  const toast = useToast();
  const [name, setName] = useState(workspace.name);
  const save = useAction(async (value: string) => {
    const before = workspace.name;
    const changed = await changeWorkspace(workspace.brand_id, { name: value });
    putResource<OwnWorkspace>(resourceKey, () => changed);
    setName(changed.name);
    toast({
      text: `The workspace is called ${changed.name}`,
      action: { label: 'Undo', perform: () => void save.run(before) },
    });
    await check();
  });
  return (
    <Form
      fault={save.fault}
      busy={save.busy}
      className="inline-form"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void save.run(name.trim());
      }}
    >
      <TextField
        label="Name"
        field="name"
        required
        maxLength={200}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit" busy={save.busy} disabled={name.trim() === workspace.name || !name.trim()}>
        Rename
      </Button>
      <FormFault />
    </Form>
  );
}

/** The time zone sets the start of budget days and months. */
function TimezoneForm({ workspace, resourceKey }: PartProps) {
  const toast = useToast();
  const listId = useId();
  const [timezone, setTimezone] = useState(workspace.timezone);
  const save = useAction(async (value: string) => {
    const before = workspace.timezone;
    const changed = await changeWorkspace(workspace.brand_id, { timezone: value });
    putResource<OwnWorkspace>(resourceKey, () => changed);
    setTimezone(changed.timezone);
    toast({
      text: `Days and months use the time zone ${changed.timezone}`,
      action: { label: 'Undo', perform: () => void save.run(before) },
    });
  });
  const value = timezone.trim();
  return (
    <Form fault={save.fault} busy={save.busy} className="inline-form" onSubmit={() => void save.run(value)}>
      <TextField
        label="Time zone"
        field="timezone"
        required
        list={listId}
        hint="The time zone for days and months of budgets and spending."
        value={timezone}
        onChange={(event) => setTimezone(event.target.value)}
      />
      <datalist id={listId}>
        {ZONES.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
      <Button type="submit" busy={save.busy} disabled={value === workspace.timezone || !value}>
        Set time zone
      </Button>
      <FormFault />
    </Form>
  );
}

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

function MfaSection({ workspace, resourceKey }: PartProps) {
  const isAdmin = useIsAdmin();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const on = workspace.require_mfa;
  const set = async (require_mfa: boolean) => {
    const changed = await changeWorkspace(workspace.brand_id, { require_mfa });
    putResource<OwnWorkspace>(resourceKey, () => changed);
    toast({
      text: require_mfa ? 'Two-factor sign-in is now required' : 'Two-factor sign-in is now optional',
    });
  };
  const turnOff = useAction(() => set(false));
  return (
    <Section title="Sign-in of members">
      <div className="row row-plain">
        <span className="row-main">
          <strong>Require two-factor sign-in</strong>
          <span className="muted small">
            People without it can only set it up. Their access tokens are paused until they do.
          </span>
          {turnOff.fault && <ErrorNote fault={turnOff.fault} />}
        </span>
        <Toggle
          label="Require two-factor sign-in"
          checked={on}
          disabled={!isAdmin}
          busy={turnOff.busy}
          onChange={(value) => (value ? setAsking(true) : void turnOff.run())}
        />
      </div>
      {asking && (
        <Confirm
          title="Require two-factor sign-in?"
          submit="Require"
          tone="primary"
          onClose={() => setAsking(false)}
          perform={() => set(true)}
        >
          <p>
            Everyone without it, including you, must set it up before continuing. Scripts with their tokens
            are paused until then.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
