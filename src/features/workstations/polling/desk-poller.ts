import { randomUUID } from 'node:crypto';
import { Counter, Gauge, type Registry } from 'prom-client';
import { newAbort } from '../../../kernel/async.js';
import { type Clock, secondsFrom } from '../../../kernel/clock.js';
import { FairQueue } from '../../../kernel/fair-queue.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { fleetStore, type PolledDesk } from '../desks/fleet.store.js';
import { contactPrecisionMs, pollInterval, slotsBetween } from '../desks/poll-schedule.js';
import type { CheckOutcome, DeskChecker } from './desk-checker.js';

interface DeskPollerOptions {
  db: Db;
  clock: Clock;
  log: Log;
  checker: DeskChecker;
  /** Seals desk keys that older releases stored as a hash. */
  moveKeys?(signal?: AbortSignal): Promise<void>;
  /** Seconds after the start in which missed checks do not count, because the mesh is still connecting. */
  graceSeconds: number;
  metrics?: PollMetrics;
}

export type DeskPoller = ReturnType<typeof createDeskPoller>;

const TICK_MS = 1_000;
const MOST_AT_ONCE = 250;
const PAGE = 1_000;
const STORE_CONTACTS_AT = 500;
/** The schedule skips a desk for this long after a manual check. */
const MANUAL_CHECK_REST_MS = 25_000;
const FIRST_CHECK_MS = { least: 2_000, spread: 2_000 };

/** Every second checks the desks of this node's share that became due. */
export function createDeskPoller(options: DeskPollerOptions) {
  const { db, clock, log, checker, moveKeys, graceSeconds, metrics } = options;
  // Bounded, so that many hanging desks do not open thousands of connections.
  const queue = new FairQueue({ places: MOST_AT_ONCE });
  const checks = new Set<Promise<void>>();
  let stopping = newAbort();
  const contacts = createContactTimes(db);
  const share = createPollShare(db);
  const manualChecks = new Map<string, number>();
  const delayed = new Set<NodeJS.Timeout>();
  let timer: NodeJS.Timeout | undefined;
  let ticking = false;
  let startedAt: Date | undefined;
  let lastTick = 0;

  function wasCheckedManually(deskId: string): boolean {
    const at = manualChecks.get(deskId);
    if (at === undefined) return false;
    if (performance.now() - at < MANUAL_CHECK_REST_MS) return true;
    manualChecks.delete(deskId);
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
    if (contactAt) contacts.record(desk, contactAt, how.precise ? 0 : contactPrecisionMs(share.desks()));
    else if (outcome !== 'overtaken') contacts.forget(desk.desk_id);
    return outcome;
  }

  /** Resolves when the check has ended, failed, or been dropped because the poller stops. */
  function enqueue(work: () => Promise<unknown>): Promise<void> {
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
    if (wasCheckedManually(desk.desk_id)) return;
    const forgiving = inGrace();
    void enqueue(() => check(desk, { precise: false, forgiving }));
  }

  async function checkOne(deskId: string): Promise<void> {
    const desk = await fleetStore(db)
      .find(deskId)
      .catch(() => undefined);
    if (desk && share.holds(desk.poll_slot)) schedule(desk);
  }

  /** Starts the checks that became due since the last tick and does not wait for them. */
  async function tick(): Promise<void> {
    const now = clock.now();
    await share.refresh(now);
    const ranges = slotsBetween(lastTick, now.getTime(), pollInterval(share.desks(), share.current().of));
    lastTick = now.getTime();
    metrics?.showWaiting(queue.waiting);
    // With a backlog, desks are skipped. They are due again in their next slot.
    if (queue.waiting > 2 * PAGE) return;
    for (const range of ranges) {
      for (const desk of await fleetStore(db).listDue(range, share.current())) schedule(desk);
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
    /** When it last looked for due desks. Undefined while the poller is stopped. */
    lastTickAt: (): Date | undefined => startedAt && new Date(lastTick),

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
      await share.leave().catch(() => undefined);
    },

    /** Checks every desk that is not suspended, due or not. */
    async checkAll(signal?: AbortSignal): Promise<JobResult> {
      await moveKeys?.(signal);
      const result = { processed: 0, failed: 0 };
      const checkManually = async (desk: PolledDesk) => {
        manualChecks.set(desk.desk_id, performance.now());
        const outcome = await check(desk, { precise: true, forgiving: false });
        result.processed += 1;
        if (outcome === 'missed' || outcome === 'misrouted') result.failed += 1;
      };
      let after: string | null = null;
      while (!signal?.aborted) {
        const page: PolledDesk[] = await fleetStore(db).listPage(after, PAGE);
        await Promise.all(page.map((desk) => enqueue(() => checkManually(desk))));
        if (page.length < PAGE) break;
        after = page.at(-1)!.desk_id;
      }
      await contacts.store();
      return result;
    },

    /** Checks a sidecar that has just registered within seconds instead of in its slot. */
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

/** When each desk was last heard from: exact in memory, but stored less often the more desks there are. */
function createContactTimes(db: Db) {
  const heard = new Map<string, Date>();
  let unstored = new Map<string, Date>();

  return {
    lastHeard: (deskId: string): Date | null => heard.get(deskId) ?? null,
    unstored: (): number => unstored.size,

    /** Marks the time for storing once the stored one is older than `precisionMs`. */
    record(desk: PolledDesk, at: Date, precisionMs: number): void {
      heard.set(desk.desk_id, at);
      const stored = desk.last_contact_at?.getTime() ?? 0;
      if (at.getTime() - stored >= precisionMs) unstored.set(desk.desk_id, at);
    },

    /** For a desk whose stored record is newer. */
    forget(deskId: string): void {
      heard.delete(deskId);
    },

    async store(): Promise<void> {
      const batch = unstored;
      unstored = new Map();
      await fleetStore(db).writeContacts(batch);
    },

    storeAll: (): Promise<void> => fleetStore(db).writeContacts(heard),
  };
}

const ANNOUNCE_EVERY_SECONDS = 5;
const NODE_GONE_AFTER_SECONDS = 15;
const COUNT_EVERY_SECONDS = 30;

/** This node's share of all desks, and their number. */
function createPollShare(db: Db) {
  const nodeId = randomUUID();
  let share = { index: 0, of: 1 };
  let desks = 0;
  let announceAt = 0;
  let countAt = 0;

  return {
    current: () => share,
    desks: () => desks,
    holds: (slot: number): boolean => slot % share.of === share.index,

    async refresh(now: Date): Promise<void> {
      const fleet = fleetStore(db);
      if (now.getTime() >= announceAt) {
        const nodes = await fleet.announceNode(nodeId, now, secondsFrom(now, -NODE_GONE_AFTER_SECONDS));
        share = { index: Math.max(0, nodes.indexOf(nodeId)), of: Math.max(1, nodes.length) };
        announceAt = secondsFrom(now, ANNOUNCE_EVERY_SECONDS).getTime();
      }
      if (now.getTime() >= countAt) {
        desks = await fleet.countPolled();
        countAt = secondsFrom(now, COUNT_EVERY_SECONDS).getTime();
      }
    },

    leave: (): Promise<void> => fleetStore(db).forgetNode(nodeId),
  };
}

type PollMetrics = ReturnType<typeof createPollMetrics>;

export function createPollMetrics(registry: Registry) {
  const checks = new Counter({
    name: 'guildhall_desk_checks_total',
    help: 'Health checks of desks, by what they found',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const waiting = new Gauge({
    name: 'guildhall_desk_checks_waiting',
    help: 'Health checks that are due and not begun',
    registers: [registry],
  });
  return {
    countCheck: (outcome: CheckOutcome) => checks.inc({ outcome }),
    showWaiting: (count: number) => waiting.set(count),
  };
}

export function showDesks(
  registry: Registry,
  count: () => Promise<{ status: string; desks: number }[]>,
): void {
  new Gauge({
    name: 'guildhall_desks',
    help: 'Desks by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      for (const { status, desks } of await count()) this.set({ status }, desks);
    },
  });
}
