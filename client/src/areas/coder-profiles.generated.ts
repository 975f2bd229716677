// Made from openapi.json by `npm run generate`; changes here are lost.

import type { Operation } from '../core/operation.js';
import type { CallOptions } from '../core/options.js';

export interface BuildSettings {
  /** false: the desk builds with its own defaults */
  applied: boolean;
  profile: string | null;
  /** A digest of the settings a build receives */
  version: string | null;
  model: string | null;
  effort: string | null;
  limits: CoderLimits | null;
  /** Environment that the desk sets for OpenHands */
  env: Record<string, string> | null;
  wall_minutes: number;
}

export interface CoderLimits {
  max_turns: number | null;
  max_steps: number | null;
  wall_minutes: number | null;
}

export interface CoderProfile {
  key: string;
  /** A digest of the settings a build receives */
  version: string;
  coder: 'claude_code' | 'codex' | 'openhands' | 'opencode' | 'pi';
  recommended_for: string[];
  model: string | null;
  effort: string | null;
  fallback_model: null;
  limits: CoderLimits;
  /** Environment that the desk sets for OpenHands */
  env: Record<string, string> | null;
  reason: string;
  sources: {
    model: 'platform' | 'brand';
    effort: 'platform' | 'brand';
    limit_value: 'platform' | 'brand';
  };
  platform_defaults: {
    model: string | null;
    effort: string | null;
    limit_value: number | null;
  };
}

export interface CoderProfileChange {
  id: number;
  profile_key: string;
  field: 'model' | 'effort' | 'limit_value';
  old_value: string | null;
  new_value: string | null;
  actor_user_id: number;
  actor_role: 'brand_admin' | 'platform_admin';
  created_at: string;
}

export interface GetBuildSettingsArguments {
  /** The profile key that the card names */
  profile?: string;
  /** The coder of the desk */
  coder?: string;
  /** The desk's own limit; default 120 */
  desk_minutes?: number;
  /** The desk's ceiling; default 240 */
  ceiling_minutes?: number;
}

export interface ListCoderProfilesArguments {
  /** claude (or claude_code), codex, openhands, opencode, pi */
  coder?: string;
  /** coding, docs, research, design, test */
  task_type?: string;
}

export interface GetCoderProfileArguments {
  /** `<coder>.<tier>`, as list_coder_profiles shows it. */
  key: string;
}

export interface ListCoderProfileHistoryArguments {
  /** `<coder>.<tier>`, as list_coder_profiles shows it. */
  key: string;
  /** Default 1000 */
  limit?: number;
  /** Only ids below this one. */
  before?: number;
}

export interface OverrideCoderProfileArguments {
  /** `<coder>.<tier>`, as list_coder_profiles shows it. */
  key: string;
  /** claude-opus-5-5 or claude-sonnet-5 */
  model?: unknown;
  /** low, medium or high */
  effort?: unknown;
  /** A whole number from 1 up to the platform default */
  limit_value?: unknown;
}

export interface ResetCoderProfileFieldArguments {
  /** `<coder>.<tier>`, as list_coder_profiles shows it. */
  key: string;
  /** `model`, `effort` or `limit_value`. */
  field: string;
}

export interface CoderProfilesMethods {
  /**
   * Get the settings that a build starts with.
   * A profile that is unknown, off-plan or of another coder is skipped: `applied` is false, and the desk's
   * own defaults count.
   */
  getBuildSettings(fields?: GetBuildSettingsArguments, options?: CallOptions): Promise<BuildSettings>;

  /**
   * List coder profiles.
   * With the workspace's changes. A card names one in `agent_context.profile`.
   */
  listCoderProfiles(fields?: ListCoderProfilesArguments, options?: CallOptions): Promise<CoderProfile[]>;

  /**
   * Read a coder profile.
   * Its settings, their sources, and the platform's defaults.
   */
  getCoderProfile(fields: GetCoderProfileArguments, options?: CallOptions): Promise<CoderProfile>;

  /**
   * List changes of a coder profile.
   * Newest first.
   */
  listCoderProfileHistory(
    fields: ListCoderProfileHistoryArguments,
    options?: CallOptions,
  ): Promise<CoderProfileChange[]>;

  /**
   * Change settings of a coder profile.
   * All or nothing. Omitted settings stay. Applies to builds that start after it. Admins only.
   */
  overrideCoderProfile(fields: OverrideCoderProfileArguments, options?: CallOptions): Promise<CoderProfile>;

  /**
   * Reset a setting to the platform default.
   * Answers the profile as it is then. Admins only.
   */
  resetCoderProfileField(
    fields: ResetCoderProfileFieldArguments,
    options?: CallOptions,
  ): Promise<CoderProfile>;
}

export interface CoderProfilesLists {
  listCoderProfileHistory: { fields: ListCoderProfileHistoryArguments; item: CoderProfileChange };
}

export const coderProfiles = {
  getBuildSettings: {
    method: 'GET',
    path: '/api/v1/factory/builds/settings',
    query: ['profile', 'coder', 'desk_minutes', 'ceiling_minutes'],
  },
  listCoderProfiles: { method: 'GET', path: '/api/v1/factory/coder-profiles', query: ['coder', 'task_type'] },
  getCoderProfile: { method: 'GET', path: '/api/v1/factory/coder-profiles/{key}' },
  listCoderProfileHistory: {
    method: 'GET',
    path: '/api/v1/factory/coder-profiles/{key}/history',
    query: ['limit', 'before'],
    pages: { style: 'before', parameter: 'before', from: 'id', items: null, key: 'id' },
  },
  overrideCoderProfile: {
    method: 'PUT',
    path: '/api/v1/factory/coder-profiles/{key}/override',
    body: ['model', 'effort', 'limit_value'],
  },
  resetCoderProfileField: { method: 'DELETE', path: '/api/v1/factory/coder-profiles/{key}/override/{field}' },
} as const satisfies Record<string, Operation>;
