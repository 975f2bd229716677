import type { GetSpendArguments, SpendReport } from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type { Budget, SpendReport } from '../../../client/src/index.js';
export type SpendBy = NonNullable<GetSpendArguments['by']>;
export type SpendRow = SpendReport['rows'][number];

/** Both days are inclusive, in the workspace's time zone. */
export interface Days {
  from?: string;
  to?: string;
}

/** Daily and monthly budgets; null means no limit. */
export interface Bounds {
  day_usd: number | null;
  month_usd: number | null;
}

export const SPEND_BY: readonly SpendBy[] = ['day', 'project', 'agent', 'card', 'coder', 'profile'];

export const readSpend = (by: SpendBy, days: Days, signal?: AbortSignal) =>
  guildhall.getSpend({ by, ...days }, { signal });

export const readProjectBudget = (project_id: string, signal?: AbortSignal) =>
  guildhall.getProjectBudget({ project_id }, { signal });

export const saveProjectBudget = (project_id: string, bounds: Bounds) =>
  guildhall.setProjectBudget({ project_id, ...bounds });

export const readAgentBudget = (agent_id: string, signal?: AbortSignal) =>
  guildhall.getAgentBudget({ agent_id }, { signal });

export const saveAgentBudget = (agent_id: string, bounds: Bounds) =>
  guildhall.setAgentBudget({ agent_id, ...bounds });
