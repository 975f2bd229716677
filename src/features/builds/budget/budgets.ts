import { monthOf } from '../../../kernel/clock.js';

/** Amounts are whole millionths of a dollar, so that sums are exact. */
const MICROS = 1_000_000;

export const toMicros = (usd: number): number => Math.round(usd * MICROS);
export const toUsd = (micros: number): number => micros / MICROS;

export const sayUsd = (micros: number): string => `${toUsd(micros).toFixed(2)} USD`;

export type BudgetScope = 'workspace' | 'project' | 'agent' | 'card';

export interface BudgetRow {
  scope: 'workspace' | 'project' | 'agent';
  subject: string;
  build_micros: number | null;
  card_micros: number | null;
  day_micros: number | null;
  month_micros: number | null;
}

export interface Place {
  scope: string;
  subject: string;
  period: string;
}

export interface Limit extends Place {
  scope: BudgetScope;
  micros: number;
}

export interface Allowance {
  ceiling: number | null;
  limits: Limit[];
}

export interface Spender {
  build_id: string;
  task_id: string;
  project_id: string;
  agent_id: string | null;
}

const LEAST_RESERVED = 500_000;
const SHARE = 20;

export const placeKey = ({ scope, subject, period }: Place): string => `${scope} ${subject} ${period}`;

export function allowanceOf(rows: readonly BudgetRow[], build: Spender, day: string): Allowance {
  const limits: Limit[] = [];
  let ceiling: number | null = null;
  const add = (scope: BudgetScope, subject: string, period: string, micros: number | null) => {
    if (micros !== null) limits.push({ scope, subject, period, micros });
  };
  const own = { workspace: '', project: build.project_id, agent: build.agent_id };
  for (const row of rows) {
    if (own[row.scope] !== row.subject) continue;
    if (row.scope === 'workspace') {
      ceiling = row.build_micros;
      add('card', build.task_id, '', row.card_micros);
    }
    add(row.scope, row.subject, day, row.day_micros);
    add(row.scope, row.subject, monthOf(day), row.month_micros);
  }
  return { ceiling, limits };
}

export function reservationOf({ ceiling, limits }: Allowance): number {
  if (ceiling !== null) return ceiling;
  if (limits.length === 0) return 0;
  const narrowest = Math.min(...limits.map(({ micros }) => micros));
  return Math.max(LEAST_RESERVED, Math.ceil(narrowest / SHARE));
}

const WHOSE: Record<BudgetScope, string> = {
  workspace: 'the workspace',
  project: 'the project',
  agent: 'the agent',
  card: 'the card',
};

export function nameBudget({ scope, period }: Place & { scope: BudgetScope }): string {
  if (period === '') return `The budget of ${WHOSE[scope]}`;
  return `The ${period.length === 7 ? 'month' : 'day'}'s budget of ${WHOSE[scope]}`;
}
