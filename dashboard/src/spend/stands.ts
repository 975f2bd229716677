export interface Stand {
  name: string;
  budget: number;
  spent: number;
}

export const findSpent = (stands: readonly Stand[]): Stand[] =>
  stands.filter(({ budget, spent }) => spent >= budget);
