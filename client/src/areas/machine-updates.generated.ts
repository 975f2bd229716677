// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { Actor } from './shared.generated.js';

export interface MachineUpdate {
  id: string;
  machine_id: string;
  machine_name: string;
  status: 'queued' | 'running' | 'done' | 'failed';
  requested_by: Actor;
  requested_at: string;
  wait_for_idle: boolean;
  error: string | null;
  started_at: string | null;
  finished_at: string | null;
  from_version: string | null;
  from_code_digest: string | null;
  to_version: string | null;
  to_code_digest: string | null;
}

export interface MachineUpdateList {
  updates: MachineUpdate[];
  total: number;
}

export interface MachineUpdateRequest {
  id: string;
  machine_id: string;
  machine_name: string;
  status: 'queued' | 'running' | 'done' | 'failed';
  requested_by: Actor;
  requested_at: string;
  wait_for_idle: boolean;
  error: string | null;
}

export interface MachineUpdateRequests {
  requests: {
    machine_id: string;
    machine_name: string;
    status: 'queued' | 'running' | 'done' | 'failed';
    error: string | null;
  }[];
  queued: number;
  failed: number;
  requested_at: string;
}

export interface RequestMachineUpdateArguments {
  /** The workstation_id of the desk on the machine. */
  machine_id: string;
}

export interface ListMachineUpdatesArguments {
  /** The workstation_id of the desk on the machine. */
  machine_id: string;
  /** Updates to return. */
  limit?: number;
}

export interface MachineUpdatesMethods {
  /**
   * Request an update of every machine.
   * Machines that cannot be updated are listed as `failed` with the reason. Admins only.
   */
  requestAllMachineUpdates(fields?: NoArguments, options?: CallOptions): Promise<MachineUpdateRequests>;

  /**
   * Request an update of a machine.
   * Runs when the machine has no running build. See list_machine_updates for the result. Admins only.
   */
  requestMachineUpdate(
    fields: RequestMachineUpdateArguments,
    options?: CallOptions,
  ): Promise<MachineUpdateRequest>;

  /**
   * List the updates of a machine.
   * Newest first: requester, times, versions and result. Admins only.
   */
  listMachineUpdates(fields: ListMachineUpdatesArguments, options?: CallOptions): Promise<MachineUpdateList>;
}

export const machineUpdates = {
  requestAllMachineUpdates: { method: 'POST', path: '/api/v1/machines/updates' },
  requestMachineUpdate: { method: 'POST', path: '/api/v1/machines/{machine_id}/updates' },
  listMachineUpdates: { method: 'GET', path: '/api/v1/machines/{machine_id}/updates', query: ['limit'] },
} as const satisfies Record<string, Operation>;
