import { sha256Hex } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../../platform/database/database.js';
import type { Reservations } from '../budget/reservations.js';
import type { Spending, Totals } from '../budget/spending.js';
import type { BuildStatus, Outcome } from '../builds.schemas.js';
import type { BuildChecks } from '../checks/check-rules.js';
import { checkRunStore } from '../checks/checks.store.js';
import type { BuildDeps, WrittenBrief } from '../record/build-deps.js';
import { type BuildRow, buildStore } from '../record/builds.store.js';
import { reasonByClock } from '../record/builds.views.js';
import { notifyEnd, recordBuildEvent } from '../record/notifications.js';
import type { WorkSignal } from '../record/work-signal.js';
import type { CardUpdates } from './card-updates.js';
import { type EndReport, lifecycleStore, type StartSettings } from './lifecycle.store.js';
import { type Effect, type EventName, requireStep } from './states.js';

/** The job that analyzes diffs and continues builds that wait for a reviewer. */
export const ANALYSIS_JOB = 'build-gate';

export interface StartData extends StartSettings {
  brief: WrittenBrief;
  runtime: string;
}

type EndEvent = Exclude<
  EventName,
  | 'accept'
  | 'check'
  | 'claim'
  | 'claim_expired'
  | 'come_back'
  | 'put_back'
  | 'request_cancel'
  | 'resume'
  | 'retry'
  | 'review'
  | 'send_back'
  | 'start'
  | 'start_locally'
  | 'wait_for_answer'
>;

/**
 * An event of one build. Claims and heartbeats concern many builds at once and are statements of the store.
 */
export type BuildEvent =
  | ({ name: 'start' | 'start_locally' } & StartData)
  | { name: 'check'; said: EndReport; checks: BuildChecks; commit: string }
  /** `said` is set when the coder has just finished, and missing after checks. */
  | { name: 'review'; said?: EndReport }
  | { name: 'request_cancel' | 'claim_expired' | 'resume' | 'wait_for_answer' }
  /** `quiet`: no notification is sent, because no one has to act. */
  | ({ name: EndEvent; quiet?: boolean } & EndReport);

interface Change {
  event: BuildEvent;
  before: BuildRow;
  after: BuildRow;
  usage?: Totals | undefined;
}

interface LifecycleDeps extends BuildDeps {
  endToken(tx: Tx, build: BuildRow): Promise<void>;
  workSignal: WorkSignal;
  cards: CardUpdates;
  publishLogEnd(tx: Tx, buildId: string): void;
  spending: Spending;
  reservations: Reservations;
  countFinished(outcome: string): void;
}

const EVENT_OF_CLOCK: Partial<Record<BuildStatus, EndEvent>> = {
  lost: 'desk_lost',
  timed_out: 'time_over',
  canceled: 'canceled_claim_expired',
};

/** Moves builds along the table in states.ts: stores the step and runs its effects in one transaction. */
export function createLifecycle(deps: LifecycleDeps) {
  const { clock, jobs, outbox, inbox, workSignal, cards, publishLogEnd, spending, reservations } = deps;
  const endedIn = new WeakMap<Tx, Outcome[]>();

  /** A transaction in which builds may end. Ends are counted in the metrics after the commit. */
  async function within<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
    let outcomes: Outcome[] = [];
    const done = await inTransaction(db, (tx) => {
      outcomes = [];
      endedIn.set(tx, outcomes);
      return work(tx);
    });
    outcomes.forEach(deps.countFinished);
    return done;
  }

  const effects: Record<Exclude<Effect, 'queue_next_attempt'>, (tx: Tx, change: Change) => unknown> = {
    announce_start: (tx, { after }) =>
      after.kind === 'build'
        ? recordBuildEvent(outbox, tx, 'build.started', after, after.started_at!)
        : undefined,
    announce_checking: (tx, { after }) =>
      recordBuildEvent(outbox, tx, 'build.checking', after, after.checking_at!),
    announce_outcome: announceOutcome,
    close_checks: (tx, { before, after }) =>
      before.checking_at
        ? checkRunStore(tx, before.brand_id).close(before.build_id, after.finished_at!)
        : undefined,
    close_spending: (tx, { before, usage }) => spending.close(tx, before, usage),
    end_log: (tx, { before }) => publishLogEnd(tx, before.build_id),
    end_token: (tx, { before }) => deps.endToken(tx, before),
    move_card: moveCard,
    open_checks: async (tx, { event, before, after }) => {
      if (event.name !== 'check') return;
      const { commit, checks } = event;
      await checkRunStore(tx, before.brand_id).open(before.build_id, commit, checks, after.checking_at!);
    },
    release_budget: (tx, { before }) => reservations.release(tx, before.brand_id, before.build_id),
    show_start_on_card: (tx, { event, before, after }) =>
      before.kind === 'build' && 'runtime' in event
        ? cards.showStart(tx, before, after.started_at!, event.runtime)
        : undefined,
    start_analysis: (tx) => jobs.trigger(tx, ANALYSIS_JOB),
    wake_desk: (tx, { before }) => workSignal.announce(tx, before.brand_id, before.workstation_id),
    wake_desks: (tx, { before }) => workSignal.announce(tx, before.brand_id),
    wake_wanted_desk: (tx, { before }) =>
      workSignal.announce(tx, before.brand_id, before.wanted_workstation_id),
  };

  async function announceOutcome(tx: Tx, { event, before, after }: Change): Promise<void> {
    // A repeated report of the same end is not announced again.
    if (before.outcome === after.outcome) return;
    // For a review, the reviewed build is announced.
    if (after.kind === 'build') {
      await recordBuildEvent(outbox, tx, 'build.finished', after, after.finished_at!);
      if (!('quiet' in event && event.quiet)) await notifyEnd(inbox, tx, after, after.finished_at!);
    }
    if (after.kind === 'review' || after.review_wanted_at !== null) await jobs.trigger(tx, ANALYSIS_JOB);
    endedIn.get(tx)?.push(after.outcome!);
  }

  /** A build that never started leaves the card unchanged, unless it failed. */
  async function moveCard(tx: Tx, { before, after }: Change): Promise<void> {
    if (before.kind !== 'build' || (!before.started_at && after.outcome !== 'failed')) return;
    const { outcome, finished_at: at, reason, result } = after;
    await cards.showEnd(tx, before, { outcome: outcome!, at: at!, reason, result });
  }

  const totalOf = async (tx: Tx, build: BuildRow, { usage }: EndReport): Promise<Totals | undefined> =>
    usage ? spending.total(tx, build, usage, true) : undefined;

  async function writeStart(tx: Tx, before: BuildRow, { brief, runtime: _, ...held }: StartData) {
    const now = clock.now();
    const written = { ...brief, digest: sha256Hex(brief.text) };
    await lifecycleStore(tx, before.brand_id).start(before.build_id, { brief: written, ...held }, now);
    return (await buildStore(tx, before.brand_id).find(before.build_id, now))!;
  }

  async function writeDone(tx: Tx, before: BuildRow, said: EndReport | undefined, review: boolean) {
    const now = clock.now();
    const store = lifecycleStore(tx, before.brand_id);
    const usage = said && (await totalOf(tx, before, said));
    if (said) await store.beginChecking(before.build_id, { ...said, usage }, now);
    if (review) await store.wantReview(before.build_id, now);
    return { usage, after: (await buildStore(tx, before.brand_id).find(before.build_id, now))! };
  }

  async function writeEnd(tx: Tx, before: BuildRow, event: EndReport & { name: EndEvent }, outcome: Outcome) {
    const { name, at, reason, result, finishDigest } = event;
    const store = lifecycleStore(tx, before.brand_id);
    if (name === 'cancel') await store.requestCancel(before.build_id, at);
    const usage = await totalOf(tx, before, event);
    const lostAt = name === 'desk_lost' ? at : undefined;
    await store.end(before.build_id, { outcome, at, reason, result, finishDigest, lostAt, usage });
    const after: BuildRow = {
      ...before,
      outcome,
      status: outcome,
      finished_at: at,
      ended_at: at,
      reason,
      lost_at: lostAt ?? before.lost_at,
      result: result ?? before.result,
      finish_digest: finishDigest ?? before.finish_digest,
      ...usage,
    };
    return { usage, after };
  }

  async function write(tx: Tx, before: BuildRow, event: BuildEvent, to: string) {
    const { build_id: buildId, brand_id: brandId } = before;
    switch (event.name) {
      case 'start':
      case 'start_locally':
        return { after: await writeStart(tx, before, event) };
      case 'check':
      case 'review':
        return writeDone(tx, before, event.said, event.name === 'review');
      case 'request_cancel':
        if (before.status === 'waiting') await lifecycleStore(tx, brandId).resume(buildId, clock.now());
        await lifecycleStore(tx, brandId).requestCancel(buildId, clock.now());
        return { after: before };
      case 'wait_for_answer':
        await lifecycleStore(tx, brandId).waitForAnswer(buildId, clock.now());
        return { after: before };
      case 'resume':
        await lifecycleStore(tx, brandId).resume(buildId, clock.now());
        return { after: before };
      case 'claim_expired':
        await lifecycleStore(tx, brandId).putBack([buildId]);
        return { after: before };
      default:
        return writeEnd(tx, before, event, to as Outcome);
    }
  }

  /** The caller holds the lock of `before`. */
  async function advance(tx: Tx, before: BuildRow, event: BuildEvent): Promise<BuildRow> {
    const step = requireStep(before, event.name);
    const change = { event, before, ...(await write(tx, before, event, step.to)) };
    for (const effect of step.effects) if (effect !== 'queue_next_attempt') await effects[effect](tx, change);
    return change.after;
  }

  return {
    within,
    advance,

    /** Stores an end that the clock has already decided. */
    async settle(tx: Tx, build: BuildRow): Promise<BuildRow> {
      if (build.finished_at !== null || build.ended_at === null) return build;
      const name = EVENT_OF_CLOCK[build.status]!;
      return advance(tx, build, { name, at: build.ended_at, reason: reasonByClock(build) });
    },

    /** Ends a build at once when no desk runs it. Otherwise its desk gets an order to stop it. */
    async cancel(tx: Tx, build: BuildRow, reason: string): Promise<void> {
      const endsNow = build.status === 'queued' || build.status === 'checking' || build.local;
      await advance(
        tx,
        build,
        endsNow ? { name: 'cancel', at: clock.now(), reason } : { name: 'request_cancel' },
      );
    },
  };
}

export type Lifecycle = ReturnType<typeof createLifecycle>;
