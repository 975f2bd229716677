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
  /** The machine: the workstation_id of its desk. */
  machine_id: string;
}

export interface ListMachineUpdatesArguments {
  /** The machine: the workstation_id of its desk. */
  machine_id: string;
  /** At most so many. */
  limit?: number;
}

export interface MachineUpdatesMethods {
  /**
   * Ask for an update of every machine.
   * Those that cannot be updated are `failed`, with the reason. Admins only.
   */
  requestAllMachineUpdates(fields?: NoArguments, options?: CallOptions): Promise<MachineUpdateRequests>;

  /**
   * Ask for an update of a machine.
   * It runs when no build does; list_machine_updates tells what became of it. Admins only.
   */
  requestMachineUpdate(
    fields: RequestMachineUpdateArguments,
    options?: CallOptions,
  ): Promise<MachineUpdateRequest>;

  /**
   * List the updates of a machine, newest first.
   * Who asked, when, the versions, and how it ended. Admins only.
   */
  listMachineUpdates(fields: ListMachineUpdatesArguments, options?: CallOptions): Promise<MachineUpdateList>;
}

export const machineUpdates = {
  requestAllMachineUpdates: { method: 'POST', path: '/api/v1/machines/updates' },
  requestMachineUpdate: { method: 'POST', path: '/api/v1/machines/{machine_id}/updates' },
  listMachineUpdates: { method: 'GET', path: '/api/v1/machines/{machine_id}/updates', query: ['limit'] },
} as const satisfies Record<string, Operation>;
