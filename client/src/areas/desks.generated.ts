// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';

export interface DeskWelcome {
  env_id: string;
  name: string;
  runtime: 'claude_code' | 'codex' | 'custom';
  workspace_path: string;
  mesh: boolean;
}

export interface MeshMembership {
  address: string | null;
  server_public_key: string | null;
  endpoint: string | null;
  allowed_ips: string | null;
  keepalive: number | null;
}

export interface Received {
  received: true;
}

export interface ReportDeskHelloArguments {
  /** The desk that the installer was made for. */
  env_id: string;
  /** What the machine calls itself. */
  hostname: string;
  /** What tells this machine from others, also after a new installation. */
  installation_id: string;
}

export interface JoinDeskMeshArguments {
  /** The WireGuard key of the machine. It must be a WireGuard key: 32 bytes in base64. */
  public_key: string;
}

export interface ReportDeskSidecarArguments {
  /** Where the service reaches the sidecar. */
  sidecar_url: string;
  /** The version that runs. */
  version?: string | null;
  /** The digest of the code that runs. */
  code_digest?: string | null;
}

export interface ReportDeskStepArguments {
  /** The step of the installer, such as `packages`. */
  step: string;
  /** How it ended; 0 is well. */
  exit_code?: number | null;
  /** What a person should know about it. */
  message?: string | null;
}

export interface DesksMethods {
  /**
   * The desk is alive.
   * The moment shows as `last_contact_at` of the environment; a desk that stays silent is checked and then
   * counted as dormant.
   */
  reportDeskAlive(fields?: NoArguments, options?: CallOptions): Promise<Received>;

  /**
   * The installer runs on a machine.
   * The first report of an installer: it ties the machine to the desk and answers what to install.
   */
  reportDeskHello(fields: ReportDeskHelloArguments, options?: CallOptions): Promise<DeskWelcome>;

  /**
   * Join the mesh.
   * Answers the address and peer of the desk in the private network; all null when the service has no mesh.
   */
  joinDeskMesh(fields: JoinDeskMeshArguments, options?: CallOptions): Promise<MeshMembership>;

  /**
   * The sidecar runs and can be checked.
   * Where the sidecar listens; the service checks it from then on.
   */
  reportDeskSidecar(fields: ReportDeskSidecarArguments, options?: CallOptions): Promise<Received>;

  /**
   * Progress of the installer.
   * Shows in the onboarding checklist of the desk; an `exit_code` other than 0 marks the step as failed.
   */
  reportDeskStep(fields: ReportDeskStepArguments, options?: CallOptions): Promise<Received>;
}

export const desks = {
  reportDeskAlive: { method: 'POST', path: '/api/v1/desk/heartbeat', body: [] },
  reportDeskHello: {
    method: 'POST',
    path: '/api/v1/desk/hello',
    body: ['env_id', 'hostname', 'installation_id'],
    needsBody: true,
  },
  joinDeskMesh: { method: 'POST', path: '/api/v1/desk/mesh', body: ['public_key'], needsBody: true },
  reportDeskSidecar: {
    method: 'POST',
    path: '/api/v1/desk/sidecar',
    body: ['sidecar_url', 'version', 'code_digest'],
    needsBody: true,
  },
  reportDeskStep: {
    method: 'POST',
    path: '/api/v1/desk/step',
    body: ['step', 'exit_code', 'message'],
    needsBody: true,
  },
} as const satisfies Record<string, Operation>;
