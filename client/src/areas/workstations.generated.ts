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
  /** Name of the desk. */
  name: string;
  /** Coding agent of the desk. */
  runtime?: 'claude_code' | 'codex' | 'custom';
  /** Region of the machine. */
  region?: string | null;
  /** Purpose of the desk. */
  description?: string | null;
}

export interface ListWorkstationsArguments {
  /** `environment` adds the environment record of each desk. */
  with?: 'environment';
}

export interface GetWorkstationArguments {
  /** The workstation_id of the desk. */
  workstation_id: string;
  /** The form of the answer, json unless said; the facts are the same. */
  format?: 'json' | 'yaml' | 'md';
}

export interface ReleaseWorkstationArguments {
  /** The workstation_id of the desk. */
  workstation_id: string;
}

export interface RegenerateDeskTokenArguments {
  /** The workstation_id of the desk. */
  workstation_id: string;
}

export interface WorkstationsMethods {
  /**
   * Order a desk.
   * Returns the token and the install commands. They are not shown again.
   */
  orderWorkstation(fields: OrderWorkstationArguments, options?: CallOptions): Promise<OrderedWorkstation>;

  /**
   * List the desks of the workspace.
   * `workstations` holds desks in contact or being set up, `dormant` those silent for over two weeks.
   */
  listWorkstations(fields?: ListWorkstationsArguments, options?: CallOptions): Promise<WorkstationList>;

  /**
   * Get a desk and its onboarding.
   * Poll this until `ready` is true. A failed step gives the reason and a hint.
   */
  getWorkstation(
    fields: GetWorkstationArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  getWorkstation(fields: GetWorkstationArguments, options?: CallOptions): Promise<Workstation>;

  /**
   * Release a desk.
   * Deletes the desk and revokes its token at once. The machine is not changed.
   */
  releaseWorkstation(
    fields: ReleaseWorkstationArguments,
    options?: CallOptions,
  ): Promise<ReleasedWorkstation>;

  /**
   * Replace the token of a desk.
   * Revokes the old token at once. Run one of the new install commands on the machine.
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
