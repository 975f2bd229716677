import type { StartSettings } from '../lifecycle/lifecycle.store.js';
import { OPEN_POLICY } from '../policy/policy.service.js';
import { policyStore } from '../policy/policy.store.js';
import type { BuildOptions } from '../record/builds.options.js';
import type { BuildRow } from '../record/builds.store.js';

/** The desk's own limits where the desk says nothing else. */
const DESK_MINUTES = 120;
const CEILING_MINUTES = 240;

/** What the profile and the policy say at this moment; a build that starts takes it along. */
export function createStartSettings({ db, coderProfiles }: Pick<BuildOptions, 'db' | 'coderProfiles'>) {
  return async ({ brand_id, coder, profile }: BuildRow): Promise<StartSettings> => {
    const { max_minutes, stall_minutes: stallMinutes } =
      (await policyStore(db, brand_id).find()) ?? OPEN_POLICY;
    const desk = { coder, minutes: DESK_MINUTES, ceilingMinutes: CEILING_MINUTES };
    const read = await coderProfiles.readBuildSettings(brand_id, profile ?? undefined, desk);
    const wallMinutes = Math.min(read.wall_minutes, max_minutes ?? Number.POSITIVE_INFINITY);
    if (!read.applied) return { settings: null, wallMinutes, stallMinutes };
    const { version, model, effort, limits, env } = read;
    const settings = { version: version!, model, effort, limits: limits!, wall_minutes: wallMinutes, env };
    return { settings, wallMinutes, stallMinutes };
  };
}
