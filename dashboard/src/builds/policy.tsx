import { useState } from 'react';
import { useAction } from '../api/action.js';
import { type BuildPolicy, readPolicy, savePolicy } from '../api/builds.js';
import { putResource, useResource } from '../api/resource.js';
import { useIsAdmin } from '../shell/session.js';
import { Button } from '../ui/button.js';
import { FormDialog } from '../ui/dialog.js';
import { ErrorNote } from '../ui/feedback.js';
import { Checkbox, TextField } from '../ui/field.js';
import { useToast } from '../ui/toast.js';
import type { PlanLimits } from './plan-limits.js';
import { usePlanLimits } from './use-plan-limits.js';

const smaller = (own: number | null | undefined, plan: number): number => Math.min(own ?? plan, plan);

/** What the workspace allows of builds, and how much of it is in use. */
export function PolicyStrip({ open }: { open: number | undefined }) {
  const isAdmin = useIsAdmin();
  const plan = usePlanLimits();
  const policy = useResource('build-policy', readPolicy, { freshMs: 10_000 });
  const [editing, setEditing] = useState(false);
  if (policy.fault) return <ErrorNote fault={policy.fault} onRetry={policy.reload} />;
  if (!policy.data || !plan) return <div className="policy-strip" aria-hidden="true" />;
  const { enabled, max_open, max_per_day, max_minutes } = policy.data;
  const most = smaller(max_open, plan.open);
  return (
    <section className="policy-strip" aria-label="What the workspace allows">
      {enabled ? (
        <dl className="policy-facts">
          <div>
            <dt>Open</dt>
            <dd className="numbers">
              <span className={open !== undefined && open >= most ? 'warn' : undefined}>{open ?? '…'}</span>{' '}
              of {most}
            </dd>
          </div>
          <div>
            <dt>A day</dt>
            <dd className="numbers">up to {smaller(max_per_day, plan.perDay).toLocaleString('en')}</dd>
          </div>
          <div>
            <dt>Time limit</dt>
            <dd className="numbers">{max_minutes === null ? 'by profile' : `${max_minutes} min`}</dd>
          </div>
        </dl>
      ) : (
        <strong className="warn">Builds are switched off in this workspace.</strong>
      )}
      {isAdmin && (
        <Button small onClick={() => setEditing(true)}>
          Change policy
        </Button>
      )}
      {editing && <PolicyDialog policy={policy.data} plan={plan} onClose={() => setEditing(false)} />}
    </section>
  );
}

interface DialogProps {
  policy: BuildPolicy;
  plan: PlanLimits;
  onClose(): void;
}

const asText = (value: number | null): string => (value === null ? '' : String(value));
const asNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text));

function PolicyDialog({ policy, plan, onClose }: DialogProps) {
  const toast = useToast();
  const [enabled, setEnabled] = useState(policy.enabled);
  const [open, setOpen] = useState(asText(policy.max_open));
  const [perDay, setPerDay] = useState(asText(policy.max_per_day));
  const [minutes, setMinutes] = useState(asText(policy.max_minutes));
  const action = useAction(async () => {
    const saved = await savePolicy({
      enabled,
      max_open: asNumber(open),
      max_per_day: asNumber(perDay),
      max_minutes: asNumber(minutes),
    });
    putResource<BuildPolicy>('build-policy', () => saved);
    toast({ text: 'Saved. Builds that are under way are not touched.' });
    onClose();
  });
  return (
    <FormDialog
      title="What the workspace allows of builds"
      submit="Save"
      action={action}
      onSubmit={() => void action.run()}
      onClose={onClose}
    >
      <Checkbox label="Builds may be started" checked={enabled} onChange={setEnabled} />
      <TextField
        label="Open at once"
        type="number"
        min={1}
        max={plan.open}
        placeholder={`${plan.open}, as the plan allows`}
        hint={`1 to ${plan.open}; empty: the plan’s`}
        value={open}
        onChange={(event) => setOpen(event.target.value)}
      />
      <TextField
        label="Begun within 24 hours"
        type="number"
        min={1}
        max={plan.perDay}
        placeholder={`${plan.perDay}, as the plan allows`}
        hint={`1 to ${plan.perDay.toLocaleString('en')}; empty: the plan’s`}
        value={perDay}
        onChange={(event) => setPerDay(event.target.value)}
      />
      <TextField
        label="Longest time in minutes"
        type="number"
        min={1}
        max={100_000}
        placeholder="as the profile says"
        hint="Caps the time limit of every profile; empty: no cap"
        value={minutes}
        onChange={(event) => setMinutes(event.target.value)}
      />
    </FormDialog>
  );
}
