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

/** Whose login the program of a coder needs; a program that is not known needs none that anybody could look at. */
const LOGIN_OF: Partial<Record<string, Runtime>> = { claude: 'claude_code', codex: 'codex' };
export const loginOf = (coder: string): Runtime | null => LOGIN_OF[coder] ?? null;

/** A login as the health of its desk last showed it. */
export interface DeskLogin {
  runtime: string;
  state: 'ok' | 'expired';
  since: string;
}

/** A coder whose login was refused on a desk. */
export interface Refusal {
  at: string;
  build_id: string;
  task_id: string;
  /** Since when the health of the desk had shown its login as ok; null where it had not. */
  ok_since: string | null;
}

export type Refusals = Readonly<Record<string, Refusal>>;

/** A refused coder is held until the health of its desk shows the login as ok again. */
export function isRefused(coder: string, refusals: Refusals, logins: readonly DeskLogin[]): boolean {
  const refusal = refusals[coder];
  const login = logins.find(({ runtime }) => runtime === loginOf(coder));
  return refusal !== undefined && !(login?.state === 'ok' && login.since !== refusal.ok_since);
}

export const LOGIN_REFUSED = 'its login was refused';

/** What a desk last said of its coders; nothing of it before it first asked for work. */
export interface SaidCoders {
  coders: readonly string[];
  missing: readonly { coder: string; reason: string }[];
  /** Those whose login was refused since. */
  refused?: readonly string[];
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
  if (said.refused?.includes(coder)) return LOGIN_REFUSED;
  if (said.coders.includes(coder)) return null;
  return said.missing.find((one) => one.coder === coder)?.reason ?? 'it is not installed';
}
