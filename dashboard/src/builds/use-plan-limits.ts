import { readMe } from '../api/identity.js';
import { useResource } from '../api/resource.js';
import { PLAN_LIMITS, type PlanLimits } from './plan-limits.js';

export function usePlanLimits(): PlanLimits | undefined {
  const me = useResource('me', readMe, { freshMs: 60_000 });
  return me.data && PLAN_LIMITS[me.data.brand.plan];
}
