export interface PassResult {
  processed: number;
  failed: number;
}

/** A pass looks for everything that is due by the clock, claims it, and works it off. */
export interface JobDefinition {
  name: string;
  /** One sentence for the operator. */
  description?: string;
  schedule?: { cron: string } | { everySeconds: number };
  /** Runs when the work begins, too: what a killed process had taken from the queue stays taken for hours. */
  atStart?: boolean;
  /** `byHand`: somebody asked for it now, and waits for what comes of it. */
  run(pass: { signal: AbortSignal; byHand?: boolean }): Promise<PassResult>;
}
