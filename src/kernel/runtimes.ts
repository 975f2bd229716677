import { CODERS, type Coder } from './plans.js';

export const RUNTIMES = ['claude_code', 'codex', 'custom'] as const;
export type Runtime = (typeof RUNTIMES)[number];

const CODERS_OF: Record<Runtime, readonly Coder[]> = {
  claude_code: ['claude'],
  codex: ['codex'],
  custom: CODERS,
};

/** Which coders a desk can run, by its runtime. */
export const codersOf = (runtime: Runtime): readonly Coder[] => CODERS_OF[runtime];

/** What a desk last said of its coders; nothing of it before it first asked for work. */
export interface SaidCoders {
  coders: readonly string[];
  missing: readonly { coder: string; reason: string }[];
}

export interface DeskCoder {
  coder: Coder;
  ready: boolean;
  /** Why not, in the middle of a sentence; null where it can be run. */
  reason: string | null;
}

/** Every coder there is: whether a desk can run it, and why not. */
export const explainCoders = (runtime: Runtime, said: SaidCoders | undefined): DeskCoder[] =>
  CODERS.map((coder) => {
    const reason = findFault(runtime, said, coder);
    return { coder, ready: reason === null, reason };
  });

function findFault(runtime: Runtime, said: SaidCoders | undefined, coder: Coder): string | null {
  if (!codersOf(runtime).includes(coder)) return `its runtime is ${runtime}`;
  if (!said) return 'it has not asked for work yet';
  if (said.coders.includes(coder)) return null;
  return said.missing.find((one) => one.coder === coder)?.reason ?? 'it is not installed';
}
