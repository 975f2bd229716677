import type { MemberCaller } from '../../kernel/access.js';
import { PLAN_TERMS } from '../../kernel/plans.js';
import { projectQuotaExceeded } from './projects.errors.js';
import type { projectStore } from './repository/projects.store.js';

/** Held until the transaction ends: of two that come for the last place, one gets it. */
export async function requirePlace(
  store: ReturnType<typeof projectStore>,
  { plan }: MemberCaller,
): Promise<void> {
  const current = await store.countLocked();
  const limit = PLAN_TERMS[plan].projects;
  if (current >= limit) throw projectQuotaExceeded(limit, current);
}
