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
  /** Its name. */
  name: string;
  /** Its coding agent. */
  runtime?: 'claude_code' | 'codex' | 'custom';
  /** Where it stands. */
  region?: string | null;
  /** What it is for. */
  description?: string | null;
}

export interface ListWorkstationsArguments {
  /** `environment` adds what get_environment answers. */
  with?: 'environment';
}

export interface GetWorkstationArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
  /** The form of the answer, json unless said; the facts are the same. */
  format?: 'json' | 'yaml' | 'md';
}

export interface ReleaseWorkstationArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
}

export interface RegenerateDeskTokenArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
}

export interface WorkstationsMethods {
  /**
   * Order a desk.
   * Token and install commands are shown this once.
   */
  orderWorkstation(fields: OrderWorkstationArguments, options?: CallOptions): Promise<OrderedWorkstation>;

  /**
   * List the desks of the workspace.
   * `workstations` are alive or being set up, `dormant` long silent.
   */
  listWorkstations(fields?: ListWorkstationsArguments, options?: CallOptions): Promise<WorkstationList>;

  /**
   * Read a desk and its onboarding.
   * Poll it until `ready`; a failed step says why and what to do.
   */
  getWorkstation(
    fields: GetWorkstationArguments & { format: 'yaml' | 'md' },
    options?: CallOptions,
  ): Promise<string>;
  getWorkstation(fields: GetWorkstationArguments, options?: CallOptions): Promise<Workstation>;

  /**
   * Release a desk; its token dies at once.
   * For good. The machine is left as it is.
   */
  releaseWorkstation(
    fields: ReleaseWorkstationArguments,
    options?: CallOptions,
  ): Promise<ReleasedWorkstation>;

  /**
   * Replace a lost token; the old one dies at once.
   * Shows token and install commands this once: run one on the machine again.
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
