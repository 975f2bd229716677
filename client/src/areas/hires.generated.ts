// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';

export interface AgentGrants {
  agent_id: string;
  tools: {
    package: string;
    enabled: boolean;
  }[];
  cached_until: string;
}

export interface CanceledHire {
  hire_id: string;
  status: 'canceled';
  cancel_at_period_end: boolean;
  effective_at: string;
  marketplace_disable_at: string;
}

export interface CanceledHireNow {
  hire_id: string;
  status: 'canceled';
  effective_at: string;
  marketplace_disable_at: string;
  installs_disabled: number;
  installs_retained: number;
  management_record_deleted: boolean;
  /** Always false from a cancel */
  gateway_entry_removed: boolean;
  /**
   * Always false
   * @deprecated
   */
  agent_torn_down: boolean;
}

export interface Employee {
  profile_id: string;
  name: string;
  description: string;
  portrait: string;
  builder: boolean;
  deployable: boolean;
  packages: string[];
  repository: {
    url: string;
    branch: string | null;
  } | null;
  existing_hire_id: string | null;
  /** For 30 days; missing: the subscription includes it. */
  price_usd?: number;
}

export interface EmployeeList {
  employees: Employee[];
  total: number;
}

export interface Hire {
  hire_id: string;
  profile_id: string;
  brand_id: number;
  status: 'provisioning' | 'active' | 'canceled';
  agent_id: string | null;
  workstation_id: string | null;
  current_period_end: string;
  cancel_at_period_end: boolean;
  effective_at: string | null;
  created_at: string;
  onboarding_url: string;
  comp_reason: string | null;
  error: string | null;
  steps: HireStep[];
}

export interface HireList {
  hires: Hire[];
  total: number;
}

export interface HireStep {
  key: 'agent' | 'packages' | 'desk' | 'workspace';
  title: string;
  state: 'pending' | 'done' | 'failed' | 'blocked';
  reason: string | null;
  done: boolean;
}

export interface StartedHire {
  hire_id: string;
  status: 'provisioning';
  onboarding_url: string;
}

export interface ListHiresArguments {
  /** How many on a page. */
  limit?: number;
  /** Which page, from 1. */
  page?: number;
}

export interface GetHireArguments {
  /** The hire, as list_hires shows it. */
  hire_id: string;
}

export interface CancelHireArguments {
  /** The hire, as list_hires shows it. */
  hire_id: string;
}

export interface CancelHireNowArguments {
  /** The hire, as list_hires shows it. */
  hire_id: string;
}

export interface HireEmployeeArguments {
  /** As list_employees shows it. */
  profile_id: string;
  /** The workspace that gets the employee (an integer); a grant needs it */
  brand_id?: unknown;
  /** Why it is granted (a string) */
  comp_reason?: unknown;
}

export interface GetEmployeePortraitArguments {
  /** As list_employees shows it. */
  profile_id: string;
}

export interface GetAgentGrantsArguments {
  /** The agent, as list_agents shows it. */
  agent_id: string;
}

export interface HiresMethods {
  /**
   * List the employees that can be hired.
   * Lists published employees by name. `existing_hire_id` is your live hire of the employee.
   */
  listEmployees(fields?: NoArguments, options?: CallOptions): Promise<EmployeeList>;

  /**
   * List hires.
   * Newest first. With the admin key, lists the hires of every workspace.
   */
  listHires(fields?: ListHiresArguments, options?: CallOptions): Promise<HireList>;

  /**
   * Get a hire.
   * Returns the `steps` of its onboarding and the `error` of a failed attempt.
   */
  getHire(fields: GetHireArguments, options?: CallOptions): Promise<Hire>;

  /**
   * Cancel a hire at the end of its period.
   * The agent keeps running until `effective_at`.
   */
  cancelHire(fields: CancelHireArguments, options?: CallOptions): Promise<CanceledHire>;

  /**
   * Cancel a hire now.
   * Disables installs that no other hire needs and releases a builder's desk. The agent stays registered and
   * can be messaged.
   */
  cancelHireNow(fields: CancelHireNowArguments, options?: CallOptions): Promise<CanceledHireNow>;

  /**
   * Hire an employee.
   * A session hires for its workspace; the admin key, or a staff session, for `brand_id`. The agent is set up
   * in the background: poll the hire or open `onboarding_url`.
   */
  hireEmployee(fields: HireEmployeeArguments, options?: CallOptions): Promise<StartedHire>;

  /**
   * Get an employee's portrait.
   * Returns a drawing that is always the same for an employee.
   */
  getEmployeePortrait(fields: GetEmployeePortraitArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Get an agent's tool grants.
   * For gateways. The answer is valid until `cached_until`.
   */
  getAgentGrants(fields: GetAgentGrantsArguments, options?: CallOptions): Promise<AgentGrants>;
}

export interface HiresLists {
  listHires: { fields: ListHiresArguments; item: Hire };
}

export const hires = {
  listEmployees: { method: 'GET', path: '/api/v1/employees', operator: true },
  listHires: {
    method: 'GET',
    path: '/api/v1/employees/hires',
    query: ['limit', 'page'],
    operator: true,
    pages: { style: 'page', parameter: 'page', size: 'limit', items: 'hires', usualSize: 100, key: 'hire_id' },
  },
  getHire: { method: 'GET', path: '/api/v1/employees/hires/{hire_id}', operator: true },
  cancelHire: {
    method: 'POST',
    path: '/api/v1/employees/hires/{hire_id}/cancel',
    creates: true,
    operator: true,
  },
  cancelHireNow: {
    method: 'POST',
    path: '/api/v1/employees/hires/{hire_id}/cancel-immediate',
    creates: true,
    operator: true,
  },
  hireEmployee: {
    method: 'POST',
    path: '/api/v1/employees/{profile_id}/hire',
    body: ['brand_id', 'comp_reason'],
    creates: true,
    operator: true,
  },
  getEmployeePortrait: {
    method: 'GET',
    path: '/api/v1/employees/{profile_id}/portrait',
    answer: 'bytes',
    operator: true,
  },
  getAgentGrants: { method: 'GET', path: '/api/v1/gateway/agents/{agent_id}/grants' },
} as const satisfies Record<string, Operation>;
