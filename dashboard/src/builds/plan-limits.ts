/** How many builds each plan allows to be open at once and to start per day. */
export const PLAN_LIMITS = {
  free: { open: 1, perDay: 20 },
  team: { open: 5, perDay: 200 },
  business: { open: 25, perDay: 2000 },
  enterprise: { open: 250, perDay: 20_000 },
} as const;

export interface PlanLimits {
  open: number;
  perDay: number;
}
