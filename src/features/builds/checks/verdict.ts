import type { CheckRunRow } from './check-runs.store.js';
import type { CheckEnd, CheckFinish } from './checks.schemas.js';

/** What the checks of a build came to. */
export interface ChecksVerdict {
  /** Nothing of it holds the build. */
  passed: boolean;
  /** What holds it, in a sentence; null when nothing does. */
  reason: string | null;
  /** Another attempt might put it right: the coder's work was at fault, and not the way it was tried. */
  rework: boolean;
}

export interface EndedCheck {
  name: string;
  status: CheckEnd;
  exit_code: number | null;
}

export const PASSED: ChecksVerdict = { passed: true, reason: null, rework: false };

const WORDS: Record<Exclude<CheckEnd, 'passed'>, string> = {
  failed: 'failed',
  timed_out: 'ran out of time',
  skipped: 'was skipped',
};

export function judgeChecks(
  { required }: Pick<CheckRunRow, 'required'>,
  checks: readonly EndedCheck[],
  setup: CheckFinish['setup'],
): ChecksVerdict {
  if (!required) return PASSED;
  if (hasFailed(setup)) return { passed: false, reason: nameSetup(setup), rework: false };
  const bad = checks.filter(({ status }) => status !== 'passed');
  if (bad.length === 0) return PASSED;
  const rework = bad.some(({ status }) => status === 'failed' || status === 'timed_out');
  return { passed: false, reason: bad.map(nameCheck).join('; '), rework };
}

const NEVER_ENDED = 'The checks were begun three times and never ended';

export const judgeNeverEnded = ({ required }: Pick<CheckRunRow, 'required'>): ChecksVerdict =>
  required ? { passed: false, reason: NEVER_ENDED, rework: false } : PASSED;

const nameCheck = ({ name, status, exit_code }: EndedCheck): string =>
  `The check ${name} ${WORDS[status as keyof typeof WORDS]}${sayCode(status === 'failed' ? exit_code : null)}`;

const LONGEST_LINE = 300;

type Setup = NonNullable<CheckFinish['setup']>;

export const hasFailed = (setup: CheckFinish['setup']): setup is Setup =>
  setup != null && setup.exit_code !== 0;

export function nameSetup({ exit_code, log_tail }: Setup): string {
  const what = exit_code == null ? 'The setup ran out of time' : `The setup failed${sayCode(exit_code)}`;
  const last = log_tail?.trimEnd().split('\n').at(-1)?.trim().slice(0, LONGEST_LINE).toWellFormed();
  return last ? `${what}: ${last}` : what;
}

const sayCode = (code: number | null): string => (code === null ? '' : ` with exit code ${code}`);
