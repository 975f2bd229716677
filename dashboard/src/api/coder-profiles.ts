import type { CoderProfile, CoderProfileChange } from '../../../client/src/index.js';
import { guildhall } from './client.js';

export type Profile = CoderProfile;
export type ProfileChange = CoderProfileChange;
export type Setting = CoderProfileChange['field'];

export const listProfiles = (signal?: AbortSignal) => guildhall.listCoderProfiles({}, { signal });

export const listChanges = (key: string, signal?: AbortSignal) =>
  guildhall.listCoderProfileHistory({ key }, { signal });

export const overrideProfile = (
  key: string,
  settings: { model?: string; effort?: string; limit_value?: number },
) => guildhall.overrideCoderProfile({ ...settings, key });

export const resetSetting = (key: string, field: Setting) => guildhall.resetCoderProfileField({ key, field });
