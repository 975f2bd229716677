// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions } from '../core/options.js';
import type { DeskRepository, Environment } from './shared.generated.js';

export interface ListedWorkstation {
  workstation_id: string;
  name: string;
  runtime: 'claude_code' | 'codex' | 'custom';
  status: 'provisioning' | 'ready' | 'unreachable' | 'suspended';
  ready: boolean;
  repository?: DeskRepository;
  poll_url: string;
  onboarding_url: string;
  onboarding_steps: OnboardingStep[];
  environment?: Environment;
}

export interface OnboardingStep {
  key: 'run_installer' | 'wg_register' | 'sidecar_up' | 'ready';
  title: string;
  state: 'pending' | 'done' | 'failed' | 'blocked';
  reason: string | null;
  hint: string | null;
  done: boolean;
}

export interface OrderedWorkstation {
  workstation_id: string;
  name: string;
  runtime: 'claude_code' | 'codex' | 'custom';
  status: 'provisioning' | 'ready' | 'unreachable' | 'suspended';
  ready: boolean;
  pat: string;
  install_command: string;
  install_command_sudo: string;
  poll_url: string;
  onboarding_url: string;
  onboarding_steps: OnboardingStep[];
}

export interface RegeneratedToken {
  workstation_id: string;
  pat: string;
  install_command: string;
  install_command_sudo: string;
}

export interface ReleasedWorkstation {
  workstation_id: string;
  released: true;
}

export interface Workstation {
  workstation_id: string;
  name: string;
  runtime: 'claude_code' | 'codex' | 'custom';
  status: 'provisioning' | 'ready' | 'unreachable' | 'suspended';
  ready: boolean;
  repository?: DeskRepository;
  poll_url: string;
  onboarding_url: string;
  onboarding_steps: OnboardingStep[];
}

export interface WorkstationList {
  workstations: ListedWorkstation[];
  dormant: ListedWorkstation[];
  total: number;
}

export interface OrderWorkstationArguments {
  /** What people call the desk. It must not be blank. */
  name: string;
  /** The coding agent that works on it. */
  runtime?: 'claude_code' | 'codex' | 'custom';
  /** Where the machine stands, in your words. */
  region?: string | null;
  /** What it is for. */
  description?: string | null;
}

export interface ListWorkstationsArguments {
  /** `environment` adds to each desk its record, as get_environment answers it. */
  with?: 'environment';
}

export interface GetWorkstationArguments {
  /** The desk, as list_workstations shows its workstation_id. */
  workstation_id: string;
  /** In which form to answer, json unless said; all of them hold the same facts. */
  format?: 'json' | 'yaml' | 'md';
}

export interface ReleaseWorkstationArguments {
  /** The desk, as list_workstations shows its workstation_id. */
  workstation_id: string;
}

export interface RegenerateDeskTokenArguments {
  /** The desk, as list_workstations shows its workstation_id. */
  workstation_id: string;
}

export interface WorkstationsMethods {
  /**
   * Order a desk.
   * The token and the install commands are answered this once.
   */
  orderWorkstation(fields: OrderWorkstationArguments, options?: CallOptions): Promise<OrderedWorkstation>;

  /**
   * List the desks of the workspace, those gone silent apart.
   * `workstations` are alive or being set up, `dormant` have not been heard of for long.
   */
  listWorkstations(fields?: ListWorkstationsArguments, options?: CallOptions): Promise<WorkstationList>;

  /**
   * Read a desk and its onboarding checklist.
   * Poll it after order_workstation until `ready`; a step that failed says why and what to do.
   */
  getWorkstation(
    fields: GetWorkstationArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  getWorkstation(fields: GetWorkstationArguments, options?: CallOptions): Promise<Workstation>;

  /**
   * Release a desk; its token dies at once.
   * The machine itself is left as it is. It cannot be undone.
   */
  releaseWorkstation(
    fields: ReleaseWorkstationArguments,
    options?: CallOptions,
  ): Promise<ReleasedWorkstation>;

  /**
   * Replace a lost token; the old one dies at once.
   * Answers the new token and install commands this once: run one of them on the machine again.
   */
  regenerateDeskToken(fields: RegenerateDeskTokenArguments, options?: CallOptions): Promise<RegeneratedToken>;
}

export const workstations = {
  orderWorkstation: {
    method: 'POST',
    path: '/api/v1/workstations',
    body: ['name', 'runtime', 'region', 'description'],
    needsBody: true,
    creates: true,
  },
  listWorkstations: { method: 'GET', path: '/api/v1/workstations', query: ['with'] },
  getWorkstation: {
    method: 'GET',
    path: '/api/v1/workstations/{workstation_id}',
    query: ['format'],
    forms: 'ask',
  },
  releaseWorkstation: { method: 'DELETE', path: '/api/v1/workstations/{workstation_id}' },
  regenerateDeskToken: { method: 'POST', path: '/api/v1/workstations/{workstation_id}/regenerate-pat' },
} as const satisfies Record<string, Operation>;
