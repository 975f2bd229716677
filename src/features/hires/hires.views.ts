import type { EmployeeRow } from './catalog.store.js';
import { describeSteps, packagesOf, periodEnd, shownRepository } from './hires.rules.js';
import type { Employee } from './hires.schemas.js';
import type { HireRow } from './hires.store.js';

export const onboardingUrl = (hireId: string): string => `/dashboard/agents/onboarding?hire=${hireId}`;

/** `desks` are those that still exist. */
export function describeHire(hire: HireRow, desks: ReadonlySet<string>, now: Date) {
  return {
    hire_id: hire.hire_id,
    profile_id: hire.profile_id,
    brand_id: hire.brand_id,
    status: hire.status,
    agent_id: hire.built_at ? hire.agent_id : null,
    workstation_id: hire.workstation_id && desks.has(hire.workstation_id) ? hire.workstation_id : null,
    current_period_end: hire.last_period_end ?? periodEnd(hire.created_at, now),
    cancel_at_period_end: hire.cancel_at_period_end,
    effective_at: hire.effective_at,
    created_at: hire.created_at,
    onboarding_url: onboardingUrl(hire.hire_id),
    comp_reason: hire.comp_reason,
    error: hire.error,
    steps: describeSteps(hire),
  };
}

export const describeEmployee = (row: EmployeeRow): Employee => ({
  profile_id: row.profile_id,
  name: row.name,
  description: row.description,
  portrait: `/api/v1/employees/${row.profile_id}/portrait`,
  builder: row.builder,
  deployable: row.template !== null,
  packages: row.template ? packagesOf(row.template) : [],
  repository: shownRepository(row.repository),
  existing_hire_id: row.existing_hire_id,
  ...(row.price_usd !== null && { price_usd: row.price_usd }),
});
