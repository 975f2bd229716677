import type { FormEvent } from 'react';
import { useAction } from '../api/action.js';
import { type ProjectChecks, readChecks, saveChecks } from '../api/lessons.js';
import { putResource, useResource } from '../api/resource.js';
import { useIsAdmin } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { useDraft } from '../ui/draft.js';
import { Loaded } from '../ui/feedback.js';
import { Checkbox, TextArea, TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Form } from '../ui/refusal.js';
import { focusHeading } from '../ui/row-focus.js';
import { SaveBar } from '../ui/save-bar.js';
import { useToast } from '../ui/toast.js';

const MOST_CHECKS = 20;
const DEFAULT_MINUTES = '15';

/** The setup commands of a checkout and the checks that its builds must pass. */
export function ChecksSection({ projectId }: { projectId: string }) {
  const key = `checks:${projectId}`;
  const checks = useResource(key, (signal) => readChecks(projectId, signal));
  return (
    <Section
      title="Setup and checks"
      lead="The setup runs in the checkout before the coder. Ignored files that it creates are cached until the lock files change. If empty, .guildhall/checks.yaml in the repository applies."
    >
      <Loaded of={checks} rows={3}>
        {(data) => <ChecksForm projectId={projectId} saved={data} resource={key} />}
      </Loaded>
    </Section>
  );
}

interface StepDraft {
  command: string;
  minutes: string;
}

interface ChecksDraft {
  setup: StepDraft;
  checks: (StepDraft & { name: string })[];
  required: boolean;
}

const draftOf = ({ checks = [], setup, required = true }: ProjectChecks): ChecksDraft => ({
  setup: { command: setup?.command ?? '', minutes: String(setup?.minutes ?? DEFAULT_MINUTES) },
  checks: checks.map(({ name, command, minutes }) => ({ name, command, minutes: String(minutes) })),
  required,
});

const stepOf = ({ command, minutes }: StepDraft) => ({ command, minutes: Number(minutes) });

const checksOf = ({ setup, checks, required }: ChecksDraft): ProjectChecks => ({
  setup: setup.command.trim() === '' ? null : stepOf(setup),
  checks: checks.map((check) => ({ name: check.name, ...stepOf(check) })),
  required,
});

interface FormProps {
  projectId: string;
  saved: ProjectChecks;
  resource: string;
}

function ChecksForm({ projectId, saved, resource }: FormProps) {
  const isAdmin = useIsAdmin();
  const toast = useToast();
  const draft = useDraft(resource, draftOf(saved));
  const { setup, checks, required } = draft.value;
  const change = (part: Partial<ChecksDraft>) => draft.set({ ...draft.value, ...part });
  const changeCheck = (at: number, part: Partial<ChecksDraft['checks'][number]>) =>
    change({ checks: checks.map((check, index) => (index === at ? { ...check, ...part } : check)) });
  const save = useAction(async () => {
    const changed = await saveChecks(projectId, checksOf(draft.value));
    putResource<ProjectChecks>(resource, () => changed);
    draft.clear();
    focusHeading();
    toast({ text: 'Saved for new builds' });
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    void save.run();
  }
  return (
    <Form fault={save.fault} busy={save.busy} className="stack narrow-form" onSubmit={submit}>
      <fieldset className="checks-fields" disabled={!isAdmin}>
        <legend className="off-screen">Setup</legend>
        <Step
          label="Setup command"
          hint="Run by sh -c, for example npm ci. It cannot read the coder’s keys or token."
          field="setup"
          step={setup}
          onChange={(part) => change({ setup: { ...setup, ...part } })}
        />
      </fieldset>
      {checks.map((check, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a check has nothing of its own but its place until it is saved
        <fieldset key={at} className="checks-fields checks-check" disabled={!isAdmin}>
          <legend>Check {at + 1}</legend>
          <TextField
            label="Name"
            field={`checks.${at}.name`}
            required
            value={check.name}
            onChange={(event) => changeCheck(at, { name: event.target.value })}
          />
          <Step
            label="Command"
            field={`checks.${at}`}
            required
            step={check}
            onChange={(part) => changeCheck(at, part)}
          />
          {isAdmin && (
            <div>
              <Button
                small
                tone="quiet"
                aria-label={`Remove check ${at + 1}`}
                onClick={() => change({ checks: checks.filter((_, index) => index !== at) })}
              >
                Remove
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      <p className="muted small">
        When the coder finishes, the checks run one after another on a clean checkout of its commits. Exit
        code 0 passes.
      </p>
      {isAdmin && (
        <>
          <div>
            <Button
              small
              disabled={checks.length >= MOST_CHECKS}
              onClick={() =>
                change({ checks: [...checks, { name: '', command: '', minutes: DEFAULT_MINUTES }] })
              }
            >
              Add a check
            </Button>
          </div>
          <Checkbox
            label="A failed check fails the build"
            checked={required}
            onChange={(held) => change({ required: held })}
          />
          <SaveBar label="Save" busy={save.busy} draft={draft} />
        </>
      )}
    </Form>
  );
}

interface StepProps {
  label: string;
  /** The step's name in the API. */
  field: string;
  hint?: string;
  required?: boolean;
  step: StepDraft;
  onChange(part: Partial<StepDraft>): void;
}

function Step({ label, field, hint, required, step, onChange }: StepProps) {
  return (
    <div className="checks-step">
      <TextArea
        label={label}
        field={`${field}.command`}
        hint={hint}
        required={required}
        rows={2}
        spellCheck={false}
        value={step.command}
        onChange={(event) => onChange({ command: event.target.value })}
      />
      <TextField
        label="Minutes"
        field={`${field}.minutes`}
        type="number"
        required
        step={1}
        value={step.minutes}
        onChange={(event) => onChange({ minutes: event.target.value })}
      />
    </div>
  );
}
