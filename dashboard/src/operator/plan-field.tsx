import { SelectField } from '../ui/field.js';

const PLANS = ['free', 'team', 'business', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

export function PlanField({ value, onChange }: { value: Plan; onChange(plan: Plan): void }) {
  return (
    <SelectField
      label="Plan"
      field="plan"
      hint="Limits desks, projects and webhooks."
      value={value}
      onChange={(event) => onChange(event.target.value as Plan)}
    >
      {PLANS.map((plan) => (
        <option key={plan} value={plan}>
          {plan}
        </option>
      ))}
    </SelectField>
  );
}
