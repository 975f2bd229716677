import { useAction } from '../api/action.js';
import type { Bounds, Budget } from '../api/money.js';
import { putResource, useResource } from '../api/resource.js';
import { Link } from '../shell/router.js';
import { useIsAdmin } from '../shell/session.js';
import { useDraft } from '../ui/draft.js';
import { Loaded } from '../ui/feedback.js';
import { Section } from '../ui/page.js';
import { Form } from '../ui/refusal.js';
import { focusHeading } from '../ui/row-focus.js';
import { SaveBar } from '../ui/save-bar.js';
import { useToast } from '../ui/toast.js';
import { UsdField } from './budget-fields.js';
import { readUsd, writeUsd } from './spend-words.js';
import { SpentOf } from './spent-of.js';

interface SectionProps {
  /** `project` or `agent`. */
  whose: string;
  id: string;
  read(id: string, signal?: AbortSignal): Promise<Budget>;
  save(id: string, bounds: Bounds): Promise<Budget>;
}

export function BudgetSection({ whose, id, read, save }: SectionProps) {
  const key = `budget:${whose}:${id}`;
  const budget = useResource(key, (signal) => read(id, signal));
  return (
    <Section
      title="Budget"
      lead={`Limits the cost of builds of this ${whose}. The workspace’s budget applies too; the lower remaining amount counts.`}
      actions={<Link to={`/dashboard/spend?by=${whose}`}>Spending</Link>}
    >
      <Loaded of={budget} rows={2}>
        {(data) => <BudgetForm budget={data} resource={key} save={(bounds) => save(id, bounds)} />}
      </Loaded>
    </Section>
  );
}

interface FormProps {
  budget: Budget;
  resource: string;
  save(bounds: Bounds): Promise<Budget>;
}

function BudgetForm({ budget, resource, save }: FormProps) {
  const isAdmin = useIsAdmin();
  const toast = useToast();
  const draft = useDraft(resource, { day: writeUsd(budget.day_usd), month: writeUsd(budget.month_usd) });
  const { day, month } = draft.value;
  const action = useAction(async () => {
    const changed = await save({ day_usd: readUsd(day), month_usd: readUsd(month) });
    putResource<Budget>(resource, () => changed);
    draft.clear();
    focusHeading();
    toast({ text: 'Saved. Waiting builds start when the budget allows' });
  });
  return (
    <>
      <div className="spent-row">
        <SpentOf label="Today" spent={budget.day_spent_usd} budget={budget.day_usd} />
        <SpentOf label="This month" spent={budget.month_spent_usd} budget={budget.month_usd} />
      </div>
      {isAdmin && (
        <Form
          fault={action.fault}
          busy={action.busy}
          className="stack narrow-form"
          onSubmit={() => void action.run()}
        >
          <div className="pair">
            <UsdField
              label="A day, in dollars"
              field="day_usd"
              value={day}
              onChange={(value) => draft.set({ day: value, month })}
            />
            <UsdField
              label="A month, in dollars"
              field="month_usd"
              value={month}
              onChange={(value) => draft.set({ day, month: value })}
            />
          </div>
          <SaveBar label="Save budget" busy={action.busy} draft={draft} />
        </Form>
      )}
    </>
  );
}
