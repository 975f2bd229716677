import type { BuildPolicy, BuildReviewer, PolicyChange } from '../api/builds.js';
import { readUsd, writeUsd } from '../spend/spend-words.js';

const NUMBERS = ['max_open', 'max_per_day', 'max_minutes', 'stall_minutes', 'question_hours'] as const;
const BUDGETS = ['build_usd', 'card_usd', 'day_usd', 'month_usd'] as const;
export type BudgetField = (typeof BUDGETS)[number];

/** The policy as form values. Fields have the same names as in the API. */
export interface PolicyDraft
  extends Pick<BuildPolicy, 'enabled' | 'rework'>,
    Record<(typeof NUMBERS)[number], string> {
  reader: { on: BuildReviewer['on']; profile: string; sameFamily: boolean };
  budget: Record<BudgetField, string>;
}

const asText = (value: number | null): string => (value === null ? '' : String(value));
const asNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text));

const mapNames = <Name extends string, Value>(names: readonly Name[], read: (name: Name) => Value) =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, Value>;

export const draftOf = (policy: BuildPolicy): PolicyDraft => ({
  enabled: policy.enabled,
  ...mapNames(NUMBERS, (name) => asText(policy[name])),
  rework: policy.rework,
  reader: {
    on: policy.reviewer?.on ?? 'none',
    profile: policy.reviewer?.profile ?? '',
    sameFamily: policy.reviewer?.same_family ?? false,
  },
  budget: mapNames(BUDGETS, (name) => writeUsd(policy.budget[name])),
});

/** A reviewer needs a profile; without one it is turned off. */
const readerOf = ({ on, profile, sameFamily }: PolicyDraft['reader']): BuildReviewer | null =>
  profile === '' ? null : { on, profile, same_family: sameFamily };

export const policyOf = (draft: PolicyDraft): PolicyChange => ({
  enabled: draft.enabled,
  ...mapNames(NUMBERS, (name) => asNumber(draft[name])),
  stall_minutes: Number(draft.stall_minutes),
  question_hours: Number(draft.question_hours),
  rework: draft.rework,
  reviewer: readerOf(draft.reader),
  budget: mapNames(BUDGETS, (name) => readUsd(draft.budget[name])),
});
