import { type Clock, secondsFrom } from '../../../kernel/clock.js';
import { newAbort } from '../../../kernel/deadline.js';
import { FairQueue } from '../../../kernel/fair-queue.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { PassResult } from '../../../platform/jobs/jobs.js';
import { fleetStore, type PolledDesk } from '../desks/fleet.store.js';
import { contactPrecisionMs, pollInterval, slotsBetween } from '../desks/poll-schedule.js';
import { createContactTimes } from './contact-times.js';
import type { CheckOutcome, DeskChecker } from './desk-checker.js';
import type { PollMetrics } from './poll-metrics.js';
import { createPollShare } from './poll-share.js';

export interface DeskPollerOptions {
  db: Db;
  clock: Clock;
  log: Log;
  checker: DeskChecker;
  /** Brings up to date how the keys of desks from before are kept. */
  moveKeys?(signal?: AbortSignal): Promise<void>;
  /** How long after its start a node does not hold misses against desks, in seconds; the mesh needs a moment. */
  graceSeconds: number;
  metrics?: PollMetrics;
}

export type DeskPoller = ReturnType<typeof createDeskPoller>;

const TICK_MS = 1_000;
const MOST_AT_ONCE = 250;
const PAGE = 1_000;
const STORE_CONTACTS_AT = 500;
/** A desk that was checked by hand is left alone by the schedule for a while. */
const REST_AFTER_HAND_MS = 25_000;
const FIRST_CHECK_MS = { least: 2_000, spread: 2_000 };

/** Looks after this node's share of the fleet: a second's worth of desks every second. */
export function createDeskPoller(options: DeskPollerOptions) {
  const { db, clock, log, checker, moveKeys, graceSeconds, metrics } = options;
  // Bounded: a fleet that hangs must not open thousands of connections.
  const queue = new FairQueue({ places: MOST_AT_ONCE });
  const checks = new Set<Promise<void>>();
  let stopping = newAbort();
  const contacts = createContactTimes(db);
  const part = createPollShare(db);
  const byHand = new Map<string, number>();
  const delayed = new Set<NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let ticking = false;
  let startedAt: Date | undefined;
  let lastTick = 0;

  function restsAfterHand(deskId: string): boolean {
    const at = byHand.get(deskId);
    if (at === undefined) return false;
    if (performance.now() - at < REST_AFTER_HAND_MS) return true;
    byHand.delete(deskId);
    return false;
  }

  const inGrace = (): boolean =>
    startedAt !== undefined && clock.now() < secondsFrom(startedAt, graceSeconds);

  async function check(
    desk: PolledDesk,
    how: { precise: boolean; forgiving: boolean },
  ): Promise<CheckOutcome> {
    const { outcome, contactAt } = await checker.check(desk, contacts.lastHeard(desk.desk_id), how.forgiving);
    metrics?.countCheck(outcome);
    if (contactAt) contacts.note(desk, contactAt, how.precise ? 0 : contactPrecisionMs(part.desks()));
    else if (outcome !== 'overtaken') contacts.forget(desk.desk_id);
    return outcome;
  }

  /** Resolves when the check is over, whatever became of it, or is forgotten because the poller stops. */
  function runInTurn(work: () => Promise<unknown>): Promise<void> {
    const { signal } = stopping;
    const done: Promise<void> = queue
      .run('desks', work, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ err: error }, 'A desk could not be checked');
      })
      .then(() => void checks.delete(done));
    checks.add(done);
    return done;
  }

  function schedule(desk: PolledDesk): void {
    if (restsAfterHand(desk.desk_id)) return;
    const forgiving = inGrace();
    void runInTurn(() => check(desk, { precise: false, forgiving }));
  }

  async function checkOne(deskId: string): Promise<void> {
    const desk = await fleetStore(db)
      .find(deskId)
      .catch(() => undefined);
    if (desk && part.holds(desk.poll_slot)) schedule(desk);
  }

  /** Starts the checks that came due since the last tick and does not wait for them. */
  async function tick(): Promise<void> {
    const now = clock.now();
    await part.refresh(now);
    const ranges = slotsBetween(lastTick, now.getTime(), pollInterval(part.desks(), part.share().of));
    lastTick = now.getTime();
    metrics?.showWaiting(queue.waiting);
    // What could not be started in time is not piled up: those desks come again with their next slot.
    if (queue.waiting > 2 * PAGE) return;
    for (const range of ranges) {
      for (const desk of await fleetStore(db).listDue(range, part.share())) schedule(desk);
    }
    if (contacts.unstored() >= STORE_CONTACTS_AT || queue.running === 0) await contacts.store();
  }

  async function tickOnce(): Promise<void> {
    if (ticking) return;
    ticking = true;
    try {
      await tick();
    } catch (error) {
      log.warn({ err: error }, 'Desks could not be checked');
    } finally {
      ticking = false;
    }
  }

  return {
    tick,
    /** When it last looked for desks that are due; undefined while it does not. */
    lastLookAt: (): Date | undefined => startedAt && new Date(lastTick),

    start(): void {
      startedAt = clock.now();
      lastTick = startedAt.getTime();
      timer = setInterval(() => void tickOnce(), TICK_MS).unref();
      moveKeys?.().catch((error) => log.warn({ err: error }, 'Keys of desks could not be sealed'));
    },

    async stop(): Promise<void> {
      clearInterval(timer);
      for (const timeout of delayed) clearTimeout(timeout);
      stopping.abort();
      await Promise.all(checks);
      stopping = newAbort();
      if (!startedAt) return;
      startedAt = undefined;
      await contacts.storeAll().catch(() => undefined);
      await part.leave().catch(() => undefined);
    },

    /** Every desk that is not suspended, due or not; answers when all have been checked. */
    async checkAll(signal?: AbortSignal): Promise<PassResult> {
      await moveKeys?.(signal);
      const result = { processed: 0, failed: 0 };
      const checkByHand = async (desk: PolledDesk) => {
        byHand.set(desk.desk_id, performance.now());
        const outcome = await check(desk, { precise: true, forgiving: false });
        result.processed += 1;
        if (outcome === 'missed' || outcome === 'misrouted') result.failed += 1;
      };
      let after: string | null = null;
      while (!signal?.aborted) {
        const page: PolledDesk[] = await fleetStore(db).listPage(after, PAGE);
        await Promise.all(page.map((desk) => runInTurn(() => checkByHand(desk))));
        if (page.length < PAGE) break;
        after = page.at(-1)!.desk_id;
      }
      await contacts.store();
      return result;
    },

    /** A sidecar that has just registered is looked at soon, not at its turn. */
    checkSoon(deskId: string): void {
      if (!startedAt) return;
      const pause = FIRST_CHECK_MS.least + Math.random() * FIRST_CHECK_MS.spread;
      const timeout = setTimeout(() => {
        delayed.delete(timeout);
        void checkOne(deskId);
      }, pause).unref();
      delayed.add(timeout);
    },
  };
}
