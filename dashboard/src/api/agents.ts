import { call, segment } from './client.js';
import type { Step } from './machines.js';

export interface Employee {
  profile_id: string;
  name: string;
  description: string;
  portrait?: string | null;
  builder?: boolean;
  deployable?: boolean;
  packages?: string[];
  repository?: { url: string; branch: string | null } | null;
  existing_hire_id?: string | null;
}

export interface Hire {
  hire_id: string;
  profile_id: string;
  status: 'provisioning' | 'active' | 'canceled';
  agent_id: string | null;
  workstation_id: string | null;
  current_period_end: string;
  cancel_at_period_end: boolean;
  effective_at: string | null;
  created_at: string;
  onboarding_url: string;
  comp_reason: string | null;
  error?: string | null;
  steps?: Step[];
}

export interface CanceledNow {
  installs_disabled: number;
  installs_retained: number;
  marketplace_disable_at: string;
}

const BASE = '/api/v1/employees';
const hirePath = (id: string) => `${BASE}/hires/${segment(id)}`;

export const listEmployees = (signal?: AbortSignal) =>
  call<{ employees: Employee[]; total: number }>('GET', BASE, { signal });

export const listHires = (signal?: AbortSignal) =>
  call<{ hires: Hire[]; total: number }>('GET', `${BASE}/hires`, { signal });

export const readHire = (id: string, signal?: AbortSignal) => call<Hire>('GET', hirePath(id), { signal });

export const hire = (profileId: string) =>
  call<{ hire_id: string; status: string; onboarding_url: string }>(
    'POST',
    `${BASE}/${segment(profileId)}/hire`,
    { body: {} },
  );

export const cancelAtPeriodEnd = (id: string) =>
  call<{ effective_at: string }>('POST', `${hirePath(id)}/cancel`);

export const cancelNow = (id: string) => call<CanceledNow>('POST', `${hirePath(id)}/cancel-immediate`);
