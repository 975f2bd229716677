import type { Build, BuildCheck, BuildReviewByCoder } from '../../api/builds.js';
import { countOf, type Tone } from '../../ui/format.js';
import { isOpen } from '../build-words.js';

/** Where a step of the gate stands. `none`: it is not asked for. */
export type StepState = 'done' | 'now' | 'ahead' | 'bad' | 'warn' | 'none';

export interface StepWords {
  state: StepState;
  words: string;
}

/** What a check is that was begun and of which nobody told the end, once its build is over. */
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

/** Begun as often as it may be; the service says of its checks then that they were skipped. */
const neverEnded = ({ reason }: Pick<Build, 'reason'>): boolean => /never ended$/.test(reason ?? '');

export const shownStatus = (check: BuildCheck, build: Build): ShownStatus =>
  !isOpen(build) && (isUnderWay(check) || (check.status === 'skipped' && neverEnded(build)))
    ? 'never_ended'
    : check.status;

/** The coder's word was that it succeeded: only then is there anything to check. */
const handedIn = ({ status, checks }: Build): boolean =>
  status === 'checking' || status === 'succeeded' || checks.some(({ status }) => status !== 'pending');

export function tellCoder(build: Build): StepWords {
  if (['queued', 'claimed'].includes(build.status)) return { state: 'ahead', words: 'Has not begun' };
  if (build.status === 'running')
    return build.stalled
      ? { state: 'warn', words: 'Gets nowhere' }
      : { state: 'now', words: build.silent ? 'Silent' : 'At work' };
  if (handedIn(build)) return { state: 'done', words: 'Says that it is done' };
  return { state: build.status === 'canceled' ? 'none' : 'bad', words: 'Did not get through' };
}

export function tellChecks(build: Build): StepWords {
  const { checks, status } = build;
  if (checks.length === 0)
    return isOpen(build) && status !== 'checking'
      ? { state: 'ahead', words: 'Follow when the coder is done' }
      : { state: 'none', words: 'None: the project has no checks' };
  if (status === 'checking') {
    const over = checks.filter((check) => !isUnderWay(check)).length;
    if (over < checks.length) return { state: 'now', words: `${over} of ${checks.length} are over` };
  } else if (isOpen(build)) return { state: 'ahead', words: `${countOf(checks.length, 'check')} to come` };
  return tellEndedChecks(build);
}

function tellEndedChecks(build: Build): StepWords {
  const { checks, status, reason, failed_setup } = build;
  const passed = checks.filter((check) => check.status === 'passed').length;
  if (passed === checks.length)
    return { state: 'done', words: passed === 1 ? 'Passed' : `All ${passed} passed` };
  if (failed_setup && status === 'succeeded')
    return { state: 'warn', words: 'The setup failed, so no check ran; checks are not required here' };
  const counted = `${passed} of ${checks.length} passed`;
  if (status === 'succeeded')
    return { state: 'warn', words: `${counted}; they are not required, so nothing is held` };
  if (/^The setup/.test(reason ?? '')) return { state: 'bad', words: 'The setup did not get through' };
  if (neverEnded(build)) return { state: 'bad', words: 'Begun three times, and never ended' };
  return { state: status === 'canceled' ? 'none' : 'bad', words: counted };
}

export function tellNotes(build: Build): StepWords {
  const { gate } = build;
  if (gate === null)
    return isOpen(build)
      ? { state: 'ahead', words: 'The change is looked at when it is there' }
      : { state: 'none', words: 'The change was not looked at' };
  if (gate.notes.length === 0) return { state: 'done', words: 'Nothing in the change stands out' };
  return { state: 'warn', words: `${countOf(gate.notes.length, 'thing')} to know of the change` };
}

export const VERDICT_WORDS: Record<NonNullable<BuildReviewByCoder['verdict']>, string> = {
  pass: 'Passes',
  concerns: 'Has concerns',
  fail: 'Does not hold',
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
      ? { state: 'ahead', words: 'Reads the change, where the policy asks for it' }
      : { state: 'none', words: 'Nobody was asked to read it' };
  if (last.verdict === null)
    return isOpen(build)
      ? { state: 'now', words: 'Reads the change' }
      : { state: 'none', words: 'Came to no verdict' };
  return { state: VERDICT_STATES[last.verdict], words: VERDICT_WORDS[last.verdict] };
}

export function tellPerson({ status, review }: Build): StepWords {
  const who = review?.by?.name ?? 'somebody';
  if (review?.decision === 'accept') return { state: 'done', words: `Accepted by ${who}` };
  if (review) return { state: 'warn', words: `Sent back by ${who}` };
  if (status === 'succeeded') return { state: 'now', words: 'Waits for somebody to look at it' };
  return isOpen({ status })
    ? { state: 'ahead', words: 'Looks at it last' }
    : { state: 'none', words: 'It did not come so far' };
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
  review: 'Second reader',
};

/** A kind that is new here is shown in its own words. */
export const noteWords = (kind: string): string => {
  const words = NOTE_WORDS[kind] ?? kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};
