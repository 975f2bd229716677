import { type Outcome, STATUSES } from '../builds.schemas.js';
import type { BuildRow } from '../record/builds.store.js';

/** The status of a build, refined by the review of a second coder and the decision of a person. */
export const STATES = [...STATUSES, 'reviewing', 'accepted', 'sent_back'] as const;
export type State = (typeof STATES)[number];

/** Runs in the transaction of the step, in the order that the step lists. */
export type Effect =
  | 'announce_checking'
  | 'announce_outcome'
  | 'announce_start'
  | 'close_checks'
  | 'close_spending'
  | 'end_log'
  | 'end_token'
  | 'move_card'
  | 'open_checks'
  | 'queue_next_attempt'
  | 'release_budget'
  | 'show_start_on_card'
  | 'start_analysis'
  | 'wake_desk'
  | 'wake_desks'
  | 'wake_wanted_desk';

export interface Step {
  to: State;
  effects: readonly Effect[];
}

const step = (to: State, ...effects: Effect[]): Step => ({ to, effects });

const end = (outcome: Outcome, ...more: Effect[]): Step =>
  step(
    outcome,
    'close_checks',
    'move_card',
    'end_token',
    'end_log',
    'announce_outcome',
    'close_spending',
    ...more,
  );

/** The coder has finished, and checks or a reviewer decide whether it succeeded. */
const done = (to: 'checking' | 'reviewing', first: Effect): Step =>
  step(to, first, 'end_token', 'end_log', 'wake_desks', 'announce_checking', 'close_spending');

const START = step('running', 'show_start_on_card', 'announce_start');

/** Reported by a desk or by a person with a local build, possibly after the build was lost. */
const REPORTS = {
  report_failure: end('failed'),
  report_cancel: end('canceled'),
  report_timeout: end('timed_out'),
} as const;

const SUCCESS_REPORTS = {
  report_success: end('succeeded'),
  check: done('checking', 'open_checks'),
  review: done('reviewing', 'start_analysis'),
} as const;

/**
 * The life cycle of a build: for each state, the accepted events with their next state and effects. All other
 * events are rejected. The diagram in docs/builds.md is generated from this table.
 */
export const LIFECYCLE = {
  queued: {
    claim: step('claimed'),
    start_locally: START,
    cancel: end('canceled'),
  },
  claimed: {
    /** No budget has enough left, so the build stays in the queue. */
    put_back: step('queued'),
    claim_expired: step('queued', 'release_budget', 'wake_wanted_desk'),
    canceled_claim_expired: end('canceled'),
    start: START,
    request_cancel: step('claimed', 'wake_desk'),
    ...REPORTS,
  },
  running: {
    request_cancel: step('running', 'wake_desk'),
    /** The coder asked a person a question. The time limit and the stall clock pause until the answer. */
    wait_for_answer: step('waiting'),
    /** For local builds, which have no desk that would have to stop them. */
    cancel: end('canceled'),
    desk_lost: end('lost'),
    time_over: end('timed_out'),
    ...REPORTS,
    ...SUCCESS_REPORTS,
  },
  waiting: {
    /** Every question has been answered or has expired. */
    resume: step('running', 'wake_desk'),
    /** The clocks continue, so that a silent desk cannot keep a canceled build open. */
    request_cancel: step('running', 'wake_desk'),
    ...REPORTS,
    ...SUCCESS_REPORTS,
  },
  checking: {
    checks_passed: end('succeeded'),
    checks_failed: end('failed'),
    review: step('reviewing', 'start_analysis'),
    cancel: end('canceled', 'wake_desks'),
  },
  reviewing: {
    review_passed: end('succeeded'),
    review_failed: end('failed'),
    cancel: end('canceled', 'wake_desks'),
  },
  succeeded: {
    accept: step('accepted'),
    send_back: step('sent_back', 'queue_next_attempt'),
    come_back: step('succeeded', 'queue_next_attempt'),
  },
  /** The service starts another attempt if the policy and the card allow one. */
  failed: { retry: step('failed', 'queue_next_attempt') },
  canceled: {},
  /** The outcome does not change, but the desk's report is stored. */
  timed_out: { report_again: end('timed_out') },
  lost: { ...REPORTS, ...SUCCESS_REPORTS },
  /**
   * The repository host sends it back: a check failed, changes are requested, or it conflicts with its base.
   */
  accepted: { come_back: step('accepted', 'queue_next_attempt') },
  sent_back: { send_back: step('sent_back', 'queue_next_attempt') },
} as const satisfies Record<State, Record<string, Step>>;

type EventsOf<S extends State> = keyof (typeof LIFECYCLE)[S];
export type EventName = { [S in State]: EventsOf<S> }[State] & string;

/** The clock decides these and they are stored later, so they start from the state that was stored last. */
export const CLOCK_EVENTS = ['claim_expired', 'canceled_claim_expired', 'desk_lost', 'time_over'] as const;

export type Placed = Pick<
  BuildRow,
  'status' | 'finished_at' | 'started_at' | 'review_wanted_at' | 'accepted_at' | 'reworked_at'
>;

/** Takes the clock into account, because `status` does. */
export function stateOf({ status, review_wanted_at, accepted_at, reworked_at }: Placed): State {
  if (status === 'checking') return review_wanted_at === null ? 'checking' : 'reviewing';
  if (accepted_at !== null) return 'accepted';
  return reworked_at === null ? status : 'sent_back';
}

const isOfClock = (event: EventName): boolean => CLOCK_EVENTS.some((one) => one === event);

/** The state in the database, which the clock may be ahead of. */
const writtenStateOf = (build: Placed): State =>
  build.finished_at !== null ? stateOf(build) : build.started_at === null ? 'claimed' : 'running';

export const findStep = (state: State, event: EventName): Step | undefined =>
  (LIFECYCLE[state] as Partial<Record<EventName, Step>>)[event];

/** Throws on an event that the state does not accept. Callers check first, so that would be a bug. */
export function requireStep(build: Placed, event: EventName): Step {
  const state = isOfClock(event) ? writtenStateOf(build) : stateOf(build);
  const found = findStep(state, event);
  if (!found) throw new Error(`A build that is ${state} has no step for ${event}`);
  return found;
}
