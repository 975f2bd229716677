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
  /** The workstation_id of the desk. */
  workstation_id: string;
}

export interface UpdateEnvironmentArguments {
  /** The workstation_id of the desk. */
  workstation_id: string;
  /** Name of the desk. */
  name?: string;
  /** Purpose of the desk; null clears it. */
  description?: string | null;
  /** One of: provisioned, active, unreachable, suspended; callers may set suspended and provisioned */
  status?: string;
  /** URL of the sidecar. */
  sidecar_url?: string;
}

export interface SetEnvironmentImageArguments {
  /** The workstation_id of the desk. */
  workstation_id: string;
  /** PNG, JPG, GIF or WebP up to 5 MB */
  file: Blob;
}

export interface GetEnvironmentImageArguments {
  /** The workstation_id of the desk. */
  workstation_id: string;
}

export interface RemoveEnvironmentImageArguments {
  /** The workstation_id of the desk. */
  workstation_id: string;
}

export interface ListDeskTimelineArguments {
  /** The workstation_id of the desk. */
  workstation_id: string;
  /** Events to return. */
  limit?: number;
  /** Return only events with a smaller id. */
  before?: number;
}

export interface EnvironmentsMethods {
  /**
   * List expired logins of the desks.
   * Coding agents that need a new sign-in, and since when.
   */
  getReauthStatus(fields?: NoArguments, options?: CallOptions): Promise<ReauthStatus>;

  /**
   * Get a desk's environment record.
   * Status, versions, addresses, last contact and whether a build runs.
   */
  getEnvironment(fields: GetEnvironmentArguments, options?: CallOptions): Promise<Environment>;

  /**
   * Update, pause or resume a desk.
   * Changes only the given fields. `suspended` pauses a desk, `provisioned` resumes it.
   */
  updateEnvironment(fields: UpdateEnvironmentArguments, options?: CallOptions): Promise<Environment>;

  /**
   * Set a desk's photo.
   * Crops the picture to 256 by 256 pixels and stores it as JPEG.
   */
  setEnvironmentImage(fields: SetEnvironmentImageArguments, options?: CallOptions): Promise<DeskImage>;

  /**
   * Get a desk's photo.
   * Returns the photo as JPEG.
   */
  getEnvironmentImage(fields: GetEnvironmentImageArguments, options?: CallOptions): Promise<Blob>;

  /**
   * Remove a desk's photo.
   * Returns `image_url: null`, also when there was no photo.
   */
  removeEnvironmentImage(fields: RemoveEnvironmentImageArguments, options?: CallOptions): Promise<DeskImage>;

  /**
   * List the events of a desk.
   * Newest first: status changes with their reason and health checks.
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
