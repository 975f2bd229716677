/** A budget, and what is spent of it. */
export interface Stand {
  name: string;
  budget: number;
  spent: number;
}

/** Those budgets of which nothing is left. */
export const findSpent = (stands: readonly Stand[]): Stand[] =>
  stands.filter(({ budget, spent }) => spent >= budget);
