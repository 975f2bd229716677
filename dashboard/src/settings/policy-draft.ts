import type { BuildPolicy, BuildReviewer, PolicyChange } from '../api/builds.js';
import { readUsd, writeUsd } from '../spend/spend-words.js';

/** The policy as it stands in the fields of its page. */
export interface PolicyDraft {
  enabled: boolean;
  open: string;
  perDay: string;
  minutes: string;
  stall: string;
  onGate: boolean;
  onChecks: boolean;
  onChanges: boolean;
  onConflict: boolean;
  reader: { on: BuildReviewer['on']; profile: string; sameFamily: boolean };
  budget: Record<BudgetField, string>;
}

export type BudgetField = keyof BuildPolicy['budget'];

const asText = (value: number | null): string => (value === null ? '' : String(value));
const asNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text));

export const draftOf = (policy: BuildPolicy): PolicyDraft => ({
  enabled: policy.enabled,
  open: asText(policy.max_open),
  perDay: asText(policy.max_per_day),
  minutes: asText(policy.max_minutes),
  stall: String(policy.stall_minutes),
  onGate: policy.rework.on_gate,
  onChecks: policy.rework.on_checks,
  onChanges: policy.rework.on_changes_requested,
  onConflict: policy.rework.on_conflict,
  reader: {
    on: policy.reviewer?.on ?? 'none',
    profile: policy.reviewer?.profile ?? '',
    sameFamily: policy.reviewer?.same_family ?? false,
  },
  budget: {
    build_usd: writeUsd(policy.budget.build_usd),
    card_usd: writeUsd(policy.budget.card_usd),
    day_usd: writeUsd(policy.budget.day_usd),
    month_usd: writeUsd(policy.budget.month_usd),
  },
});

/** A reader without a profile is none: there is nobody to ask. */
const readerOf = ({ on, profile, sameFamily }: PolicyDraft['reader']): BuildReviewer | null =>
  profile === '' ? null : { on, profile, same_family: sameFamily };

export const policyOf = ({
  enabled,
  open,
  perDay,
  minutes,
  stall,
  onGate,
  onChecks,
  onChanges,
  onConflict,
  reader,
  budget,
}: PolicyDraft): PolicyChange => ({
  enabled,
  max_open: asNumber(open),
  max_per_day: asNumber(perDay),
  max_minutes: asNumber(minutes),
  stall_minutes: Number(stall),
  rework: {
    on_gate: onGate,
    on_checks: onChecks,
    on_changes_requested: onChanges,
    on_conflict: onConflict,
  },
  reviewer: readerOf(reader),
  budget: {
    build_usd: readUsd(budget.build_usd),
    card_usd: readUsd(budget.card_usd),
    day_usd: readUsd(budget.day_usd),
    month_usd: readUsd(budget.month_usd),
  },
});
