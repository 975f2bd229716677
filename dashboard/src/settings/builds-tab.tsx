import { useAction } from '../api/action.js';
import { type BuildPolicy, readPolicy, savePolicy } from '../api/builds.js';
import { putResource, useResource } from '../api/resource.js';
import type { PlanLimits } from '../builds/plan-limits.js';
import { usePlanLimits } from '../builds/use-plan-limits.js';
import { Link } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { UsdField } from '../spend/budget-fields.js';
import { SpentOf } from '../spend/spent-of.js';
import { useWorkspaceStand } from '../spend/use-stand.js';
import { useDraft } from '../ui/draft.js';
import { Loaded, Skeleton } from '../ui/feedback.js';
import { Checkbox, TextField } from '../ui/field.js';
import { Section } from '../ui/page.js';
import { Form } from '../ui/refusal.js';
import { focusHeading } from '../ui/row-focus.js';
import { SaveBar } from '../ui/save-bar.js';
import { useToast } from '../ui/toast.js';
import { type BudgetField, draftOf, type PolicyDraft, policyOf } from './policy-draft.js';
import { ReaderFields } from './reader-fields.js';

export function BuildsTab() {
  const policy = useResource('build-policy', readPolicy);
  const plan = usePlanLimits();
  return (
    <Loaded of={policy} rows={6}>
      {(data) => (plan ? <PolicyForm policy={data} plan={plan} /> : <Skeleton rows={6} />)}
    </Loaded>
  );
}

interface PartProps {
  draft: PolicyDraft;
  change(part: Partial<PolicyDraft>): void;
}

function PolicyForm({ policy, plan }: { policy: BuildPolicy; plan: PlanLimits }) {
  const isAdmin = useIsAdmin();
  const toast = useToast();
  const draft = useDraft('policy', draftOf(policy));
  const change = (part: Partial<PolicyDraft>) => draft.set({ ...draft.value, ...part });
  const save = useAction(async () => {
    const saved = await savePolicy(policyOf(draft.value));
    putResource<BuildPolicy>('build-policy', () => saved);
    draft.clear();
    focusHeading();
    toast({ text: 'Saved for new builds. Running builds do not change.' });
  });
  const parts = { draft: draft.value, change };
  return (
    <Form
      fault={save.fault}
      busy={save.busy}
      className="stack policy-form"
      aria-label="Build policy"
      onSubmit={() => void save.run()}
    >
      <fieldset className="policy-fields" disabled={!isAdmin}>
        <legend className="off-screen">Build policy of builds</legend>
        <StartPart {...parts} plan={plan} />
        <GatePart {...parts} />
        <PullRequestPart {...parts} />
        <BudgetPart {...parts} />
      </fieldset>
      {isAdmin ? (
        <SaveBar label="Save policy" busy={save.busy} draft={draft} />
      ) : (
        <p className="muted">Admins of the workspace can change this.</p>
      )}
    </Form>
  );
}

function StartPart({ draft, change, plan }: PartProps & { plan: PlanLimits }) {
  return (
    <Section title="Builds">
      <Checkbox label="Allow builds" checked={draft.enabled} onChange={(enabled) => change({ enabled })} />
      <div className="pair">
        <TextField
          label="Open at once"
          field="max_open"
          type="number"
          min={1}
          placeholder={`${plan.open}, as the plan allows`}
          hint={`1 to ${plan.open}; empty: the plan’s`}
          value={draft.max_open}
          onChange={(event) => change({ max_open: event.target.value })}
        />
        <TextField
          label="Builds per 24 hours"
          field="max_per_day"
          type="number"
          min={1}
          placeholder={`${plan.perDay}, as the plan allows`}
          hint={`1 to ${plan.perDay.toLocaleString('en')}; empty: the plan’s`}
          value={draft.max_per_day}
          onChange={(event) => change({ max_per_day: event.target.value })}
        />
        <TextField
          label="Time limit in minutes"
          field="max_minutes"
          type="number"
          min={1}
          placeholder="as the profile says"
          hint="Caps the time limit of every profile. Leave empty for no cap."
          value={draft.max_minutes}
          onChange={(event) => change({ max_minutes: event.target.value })}
        />
        <TextField
          label="Stalled after minutes"
          field="stall_minutes"
          type="number"
          min={0}
          required
          hint="Notify people after this many minutes without progress, and stop the build after twice as long. 0 turns this off."
          value={draft.stall_minutes}
          onChange={(event) => change({ stall_minutes: event.target.value })}
        />
        <TextField
          label="Answer within hours"
          field="question_hours"
          type="number"
          min={1}
          max={720}
          required
          hint="A coder that gets no answer to its question in this time continues without one."
          value={draft.question_hours}
          onChange={(event) => change({ question_hours: event.target.value })}
        />
      </div>
    </Section>
  );
}

function GatePart({ draft, change }: PartProps) {
  return (
    <Section
      title="Gate"
      lead="Steps between the coder’s last commit and a person’s review. Each project sets its own checks."
    >
      <Checkbox
        label="Retry automatically when a check fails"
        checked={draft.rework.on_gate}
        onChange={(isOn) => change({ rework: { ...draft.rework, on_gate: isOn } })}
      />
      <ReaderFields reader={draft.reader} onChange={(reader) => change({ reader })} />
    </Section>
  );
}

/** Settings for attempts that problems on the repository host start automatically. */
function PullRequestPart({ draft, change }: PartProps) {
  return (
    <Section
      title="Pull requests"
      lead="Guildhall can start the next attempt when the repository host reports a problem: once per push, within the card’s number of attempts. A person still accepts the result."
    >
      <Checkbox
        label="Failed checks: the coder gets their names and the end of their logs"
        checked={draft.rework.on_checks}
        onChange={(isOn) => change({ rework: { ...draft.rework, on_checks: isOn } })}
      />
      <Checkbox
        label="Changes requested: the coder gets the review and its comments, with file and line"
        checked={draft.rework.on_changes_requested}
        onChange={(isOn) => change({ rework: { ...draft.rework, on_changes_requested: isOn } })}
      />
      <Checkbox
        label="Conflicts: the coder gets the list of conflicting files"
        checked={draft.rework.on_conflict}
        onChange={(isOn) => change({ rework: { ...draft.rework, on_conflict: isOn } })}
      />
    </Section>
  );
}

const BUDGETS: readonly { field: BudgetField; label: string; hint: string }[] = [
  {
    field: 'build_usd',
    label: 'One build, in dollars',
    hint: 'The build stops at this cost and keeps its commits',
  },
  { field: 'card_usd', label: 'One card, in dollars', hint: 'All attempts of the card together' },
  { field: 'day_usd', label: 'A day, in dollars', hint: 'Of the whole workspace' },
  { field: 'month_usd', label: 'A month, in dollars', hint: 'Of the whole workspace' },
];

function BudgetPart({ draft, change }: PartProps) {
  const stand = useWorkspaceStand();
  return (
    <Section
      title="Budget"
      lead="Leave empty for no limit. Builds without enough budget wait and start automatically when there is enough. Projects and agents can have their own budgets."
      actions={<Link to="/dashboard/spend">Spending</Link>}
    >
      {stand && (
        <div className="spent-row">
          <SpentOf label="Today" spent={stand.daySpent} budget={stand.dayBudget} />
          <SpentOf label="This month" spent={stand.monthSpent} budget={stand.monthBudget} />
        </div>
      )}
      <div className="pair">
        {BUDGETS.map(({ field, label, hint }) => (
          <UsdField
            key={field}
            label={label}
            field={`budget.${field}`}
            hint={hint}
            value={draft.budget[field]}
            onChange={(value) => change({ budget: { ...draft.budget, [field]: value } })}
          />
        ))}
      </div>
    </Section>
  );
}
