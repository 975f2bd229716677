import type { CoderProfileService } from '../features/coder-profiles/index.js';
import type { MemberCaller } from '../kernel/access.js';

/** A few changes with a history, so that there is something to reset. */
export async function seedCoderProfiles(profiles: CoderProfileService, admin: MemberCaller): Promise<void> {
  await profiles.override(admin, 'claude.coding', { model: 'claude-opus-5-5', limit_value: 160 });
  await profiles.override(admin, 'claude.coding', { limit_value: 120 });
  await profiles.override(admin, 'codex.docs', { effort: 'medium' });
  await profiles.override(admin, 'pi.test', { model: 'claude-sonnet-5' });
  await profiles.reset(admin, 'pi.test', 'model');
}
