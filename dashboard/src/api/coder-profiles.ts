import { call, segment } from './client.js';

export type Setting = 'model' | 'effort' | 'limit_value';

export interface Profile {
  key: string;
  version: string;
  coder: string;
  recommended_for: string[];
  model: string | null;
  effort: string | null;
  limits: { max_turns: number | null; max_steps: number | null; wall_minutes: number | null };
  env: Record<string, string> | null;
  reason: string;
  sources: Record<Setting, 'platform' | 'brand'>;
  platform_defaults: { model: string | null; effort: string | null; limit_value: number | null };
}

export interface ProfileChange {
  id: number;
  field: Setting;
  old_value: string | null;
  new_value: string | null;
  actor_user_id: number;
  actor_role: string;
  created_at: string;
}

const BASE = '/api/v1/factory/coder-profiles';
const profilePath = (key: string) => `${BASE}/${segment(key)}`;

export const listProfiles = (signal?: AbortSignal) => call<Profile[]>('GET', BASE, { signal });

export const listChanges = (key: string, signal?: AbortSignal) =>
  call<ProfileChange[]>('GET', `${profilePath(key)}/history`, { signal });

export const overrideProfile = (
  key: string,
  body: { model?: string; effort?: string; limit_value?: number },
) => call<Profile>('PUT', `${profilePath(key)}/override`, { body });

export const resetSetting = (key: string, field: Setting) =>
  call<Profile>('DELETE', `${profilePath(key)}/override/${field}`);
