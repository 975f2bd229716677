import type { Build, BuildCheck, BuildReviewByCoder } from '../../api/builds.js';
import { countOf, type Tone } from '../../ui/format.js';
import { isOpen } from '../build-words.js';

/** `none` means that the step does not apply. */
export type StepState = 'done' | 'now' | 'ahead' | 'bad' | 'warn' | 'none';

export interface StepWords {
  state: StepState;
  words: string;
}

/** A check that started but has no result although its build is finished. */
type ShownStatus = BuildCheck['status'] | 'never_ended';

export const CHECK_WORDS: Record<ShownStatus, string> = {
  pending: 'Waits',
  running: 'Runs',
  passed: 'Passed',
  failed: 'Failed',
  timed_out: 'Timed out',
  skipped: 'Skipped',
  never_ended: 'Never ended',
};

export const CHECK_TONES: Record<ShownStatus, Tone> = {
  pending: 'plain',
  running: 'info',
  passed: 'good',
  failed: 'bad',
  timed_out: 'bad',
  skipped: 'warn',
  never_ended: 'warn',
};

const isUnderWay = ({ status }: Pick<BuildCheck, 'status'>): boolean =>
  status === 'pending' || status === 'running';

/** Whether the checks were restarted too often; the service then marks them as skipped. */
const neverEnded = ({ reason }: Pick<Build, 'reason'>): boolean => /never ended$/.test(reason ?? '');

export const shownStatus = (check: BuildCheck, build: Build): ShownStatus =>
  !isOpen(build) && (isUnderWay(check) || (check.status === 'skipped' && neverEnded(build)))
    ? 'never_ended'
    : check.status;

/** Checks run only after the coder reports success. */
const coderFinished = ({ status, checks }: Build): boolean =>
  status === 'checking' || status === 'succeeded' || checks.some(({ status }) => status !== 'pending');

export function tellCoder(build: Build): StepWords {
  if (['queued', 'claimed'].includes(build.status)) return { state: 'ahead', words: 'Not started' };
  if (build.status === 'waiting') return { state: 'warn', words: 'Waiting for an answer' };
  if (build.status === 'running')
    return build.stalled
      ? { state: 'warn', words: 'No progress' }
      : { state: 'now', words: build.silent ? 'Silent' : 'Working' };
  if (coderFinished(build)) return { state: 'done', words: 'Finished' };
  return { state: build.status === 'canceled' ? 'none' : 'bad', words: 'Failed' };
}

export function tellChecks(build: Build): StepWords {
  const { checks, status } = build;
  if (checks.length === 0)
    return isOpen(build) && status !== 'checking'
      ? { state: 'ahead', words: 'Run after the coder finishes' }
      : { state: 'none', words: 'The project has no checks' };
  if (status === 'checking') {
    const over = checks.filter((check) => !isUnderWay(check)).length;
    if (over < checks.length) return { state: 'now', words: `${over} of ${checks.length} finished` };
  } else if (isOpen(build)) return { state: 'ahead', words: `${countOf(checks.length, 'check')} queued` };
  return tellEndedChecks(build);
}

function tellEndedChecks(build: Build): StepWords {
  const { checks, status, reason, failed_setup } = build;
  const passed = checks.filter((check) => check.status === 'passed').length;
  if (passed === checks.length)
    return { state: 'done', words: passed === 1 ? 'Passed' : `All ${passed} passed` };
  if (failed_setup && status === 'succeeded')
    return { state: 'warn', words: 'The setup failed and no check ran. Checks are optional here.' };
  const counted = `${passed} of ${checks.length} passed`;
  if (status === 'succeeded') return { state: 'warn', words: `${counted}; checks are optional here` };
  if (/^The setup/.test(reason ?? '')) return { state: 'bad', words: 'Setup failed' };
  if (neverEnded(build)) return { state: 'bad', words: 'Started three times without finishing' };
  return { state: status === 'canceled' ? 'none' : 'bad', words: counted };
}

export function tellNotes(build: Build): StepWords {
  const { gate } = build;
  if (gate === null)
    return isOpen(build)
      ? { state: 'ahead', words: 'Runs when the change is submitted' }
      : { state: 'none', words: 'Not analyzed yet' };
  if (gate.notes.length === 0) return { state: 'done', words: 'No findings' };
  return { state: 'warn', words: `${countOf(gate.notes.length, 'finding')}` };
}

export const VERDICT_WORDS: Record<NonNullable<BuildReviewByCoder['verdict']>, string> = {
  pass: 'Passes',
  concerns: 'Has concerns',
  fail: 'Rejected',
};

const VERDICT_STATES: Record<NonNullable<BuildReviewByCoder['verdict']>, StepState> = {
  pass: 'done',
  concerns: 'warn',
  fail: 'bad',
};

export function tellReader(build: Build): StepWords {
  const last = build.reviews.at(-1);
  if (!last)
    return isOpen(build)
      ? { state: 'ahead', words: 'Runs if the policy requires a reviewer' }
      : { state: 'none', words: 'No reviewer configured' };
  if (last.verdict === null)
    return isOpen(build)
      ? { state: 'now', words: 'Reads the change' }
      : { state: 'none', words: 'No verdict' };
  return { state: VERDICT_STATES[last.verdict], words: VERDICT_WORDS[last.verdict] };
}

export function tellPerson({ status, review }: Build): StepWords {
  const who = review?.by?.name ?? 'a former member';
  if (review?.decision === 'accept') return { state: 'done', words: `Accepted by ${who}` };
  if (review) return { state: 'warn', words: `Sent back by ${who}` };
  if (status === 'succeeded') return { state: 'now', words: 'Waiting for review' };
  return isOpen({ status })
    ? { state: 'ahead', words: 'Decides last' }
    : { state: 'none', words: 'Not reached' };
}

const NOTE_WORDS: Record<string, string> = {
  checks_changed: 'Checks changed',
  checks_unreadable: 'Checks cannot be read',
  setup_failed: 'Setup failed',
  tests_removed: 'Tests removed',
  tests_skipped: 'Tests skipped',
  tests_weakened: 'Tests weakened',
  stub: 'Stub',
  no_change: 'No change',
  test_aware: 'Knows its tests',
  swallowed: 'Errors swallowed',
  silenced: 'Warnings silenced',
  secret: 'Secret',
  outside: 'Outside the task',
  not_read: 'Not read',
  review: 'Reviewer',
};

/** Unknown kinds are shown by their API name. */
export const noteWords = (kind: string): string => {
  const words = NOTE_WORDS[kind] ?? kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
