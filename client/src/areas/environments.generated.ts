// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions, NoArguments } from '../core/options.js';
import type { Environment } from './shared.generated.js';

export interface DeskImage {
  env_id: string;
  image_url: string | null;
}

export interface DeskTimeline {
  env_id: string;
  items: {
    id: number;
    at: string;
    kind: string;
    from: string | null;
    to: string | null;
    reason: string | null;
    probes: {
      at: string;
      outcome: 'answered' | 'missed' | 'misrouted';
      detail: string;
      duration_ms: number;
    }[];
  }[];
}

export interface ReauthStatus {
  checked: number;
  dormant: number;
  expired: {
    workstation_id: string;
    name: string;
    runtime: string;
    since: string;
  }[];
}

export interface GetEnvironmentArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
}

export interface UpdateEnvironmentArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
  /** Its name. */
  name?: string;
  /** What it is for; null clears it. */
  description?: string | null;
  /** One of: provisioned, active, unreachable, suspended; callers set suspended and provisioned */
  status?: string;
  /** Where the sidecar is reached. */
  sidecar_url?: string;
}

export interface SetEnvironmentImageArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
  /** PNG, JPG, GIF or WebP up to 5 MB */
  file: Blob;
}

export interface GetEnvironmentImageArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
}

export interface RemoveEnvironmentImageArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
}

export interface ListDeskTimelineArguments {
  /** As list_workstations shows it. */
  workstation_id: string;
  /** How many on a page. */
  limit?: number;
  /** Only ids below this one. */
  before?: number;
}

export interface EnvironmentsMethods {
  /**
   * List expired logins of the desks.
   * Where the coding agent needs a new sign-in, since when.
   */
  getReauthStatus(fields?: NoArguments, options?: CallOptions): Promise<ReauthStatus>;

  /**
   * Read a desk's environment record.
   * Status, versions, addresses, last contact, whether it builds.
   */
  getEnvironment(fields: GetEnvironmentArguments, options?: CallOptions): Promise<Environment>;

  /**
   * Change, pause or resume a desk.
   * Only sent fields change. `suspended` pauses a desk, `provisioned` resumes it.
   */
  updateEnvironment(fields: UpdateEnvironmentArguments, options?: CallOptions): Promise<Environment>;

  /**
   * Set a desk's photo.
   * Cut to 256 by 256, kept as JPEG.
   */
  setEnvironmentImage(fields: SetEnvironmentImageArguments, options?: CallOptions): Promise<DeskImage>;

  /**
   * Read a desk's photo.
   * The bytes of the photo.
   */
  getEnvironmentImage(fields: GetEnvironmentImageArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Remove a desk's photo.
   * Answers `image_url: null`.
   */
  removeEnvironmentImage(fields: RemoveEnvironmentImageArguments, options?: CallOptions): Promise<DeskImage>;

  /**
   * List what happened to a desk.
   * Newest first: changes of status with reason and probes.
   */
  listDeskTimeline(fields: ListDeskTimelineArguments, options?: CallOptions): Promise<DeskTimeline>;
}

export interface EnvironmentsLists {
  listDeskTimeline: { fields: ListDeskTimelineArguments; item: DeskTimeline['items'][number] };
}

export const environments = {
  getReauthStatus: { method: 'GET', path: '/api/v1/environments/credentials/reauth-status' },
  getEnvironment: { method: 'GET', path: '/api/v1/environments/{workstation_id}' },
  updateEnvironment: {
    method: 'PATCH',
    path: '/api/v1/environments/{workstation_id}',
    body: ['name', 'description', 'status', 'sidecar_url'],
  },
  setEnvironmentImage: { method: 'POST', path: '/api/v1/environments/{workstation_id}/image', file: 'file' },
  getEnvironmentImage: {
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}/image',
    answer: 'bytes',
  },
  removeEnvironmentImage: { method: 'DELETE', path: '/api/v1/environments/{workstation_id}/image' },
  listDeskTimeline: {
    method: 'GET',
    path: '/api/v1/environments/{workstation_id}/timeline',
    query: ['limit', 'before'],
    pages: { style: 'before', parameter: 'before', from: 'id', items: 'items', key: 'id' },
  },
} as const satisfies Record<string, Operation>;
