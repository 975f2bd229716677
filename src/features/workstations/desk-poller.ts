import { randomUUID } from 'node:crypto';
import type { Counter, Gauge } from 'prom-client';
import type { Db } from '../../database/database.js';
import { type Clock, secondsFrom } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { PassResult } from '../../services/jobs.js';
import type { DeskChecker } from './desk-checker.js';
import { fleetStore, type PolledDesk } from './fleet.store.js';
import { contactPrecisionMs, pollInterval, slotsBetween } from './poll-schedule.js';

export interface DeskPollerOptions {
  db: Db;
  clock: Clock;
  log: Log;
  checker: DeskChecker;
  /** How long after its start a node does not hold misses against desks, in seconds; the mesh needs a moment. */
  graceSeconds: number;
  checks?: Counter<'outcome'>;
  lag?: Gauge;
}

const TICK_MS = 1_000;
const MOST_AT_ONCE = 250;
const PAGE = 1_000;
/** A node that died is missed soon, and saying so often costs a row each time. */
const ANNOUNCE_EVERY_SECONDS = 5;
const NODE_GONE_AFTER_SECONDS = 15;
const COUNT_EVERY_SECONDS = 30;
const FLUSH_AT = 500;
/** A desk that was checked by hand is left alone by the schedule for a while. */
const REST_AFTER_HAND_MS = 25_000;
const FIRST_CHECK_MS = { least: 2_000, spread: 2_000 };

/** Looks after this node's share of the fleet: a second's worth of desks every second. */
export class DeskPoller {
  readonly #nodeId = randomUUID();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #heard = new Map<string, Date>();
  readonly #contacts = new Map<string, Date>();
  readonly #byHand = new Map<string, number>();
  readonly #delayed = new Set<NodeJS.Timeout>();
  #timer: NodeJS.Timeout | undefined;
  #ticking = false;
  #startedAt: Date | undefined;
  #lastTick = 0;
  #share = { index: 0, of: 1 };
  #desks = 0;
  #announceAt = 0;
  #countAt = 0;

  constructor(private readonly options: DeskPollerOptions) {}

  start(): void {
    this.#startedAt = this.options.clock.now();
    this.#lastTick = this.#startedAt.getTime();
    this.#timer = setInterval(() => void this.#tickOnce(), TICK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const timer of this.#delayed) clearTimeout(timer);
    this.#waiting.length = 0;
    await Promise.all([...this.#inFlight]);
    if (!this.#startedAt) return;
    this.#startedAt = undefined;
    const fleet = fleetStore(this.options.db);
    await fleet.writeContacts(this.#heard).catch(() => undefined);
    await fleet.forgetNode(this.#nodeId).catch(() => undefined);
  }

  /** Every desk that is not suspended, due or not; answers when all have been checked. */
  async checkAll(signal?: AbortSignal): Promise<PassResult> {
    const result = { processed: 0, failed: 0 };
    let after: string | null = null;
    while (!signal?.aborted) {
      const page: PolledDesk[] = await fleetStore(this.options.db).listPage(after, PAGE);
      await Promise.all(
        page.map((desk) =>
          this.#enqueue(async () => {
            this.#byHand.set(desk.desk_id, performance.now());
            const outcome = await this.#check(desk, { precise: true, forgiving: false });
            result.processed += 1;
            if (outcome !== 'answered') result.failed += 1;
          }),
        ),
      );
      if (page.length < PAGE) break;
      after = page.at(-1)!.desk_id;
    }
    await this.#flushContacts(true);
    return result;
  }

  /** A sidecar that has just registered is looked at soon, not at its turn. */
  checkSoon(deskId: string): void {
    if (!this.#startedAt) return;
    const timer = setTimeout(
      () => {
        this.#delayed.delete(timer);
        void this.#checkOne(deskId);
      },
      FIRST_CHECK_MS.least + Math.random() * FIRST_CHECK_MS.spread,
    );
    timer.unref();
    this.#delayed.add(timer);
  }

  async #checkOne(deskId: string): Promise<void> {
    const desk = await fleetStore(this.options.db)
      .find(deskId)
      .catch(() => undefined);
    if (desk && desk.poll_slot % this.#share.of === this.#share.index && !this.#restsAfterHand(deskId))
      this.#schedule(desk);
  }

  async #tickOnce(): Promise<void> {
    if (this.#ticking) return;
    this.#ticking = true;
    try {
      await this.tick();
    } catch (error) {
      this.options.log.warn({ err: error }, 'Desks could not be checked');
    } finally {
      this.#ticking = false;
    }
  }

  /** Starts the checks that came due since the last tick and does not wait for them. */
  async tick(): Promise<void> {
    const now = this.options.clock.now();
    await this.#keepBooks(now);
    const interval = pollInterval(this.#desks, this.#share.of);
    const ranges = slotsBetween(this.#lastTick, now.getTime(), interval);
    this.#lastTick = now.getTime();
    this.options.lag?.set(this.#waiting.length);
    // What could not be started in time is not piled up: those desks come again with their next slot.
    if (this.#waiting.length > 2 * PAGE) return;
    for (const range of ranges) {
      const due = await fleetStore(this.options.db).listDue(range, this.#share);
      for (const desk of due) if (!this.#restsAfterHand(desk.desk_id)) this.#schedule(desk);
    }
    await this.#flushContacts(false);
  }

  async #keepBooks(now: Date): Promise<void> {
    const fleet = fleetStore(this.options.db);
    if (now.getTime() >= this.#announceAt) {
      const nodes = await fleet.announceNode(this.#nodeId, now, secondsFrom(now, -NODE_GONE_AFTER_SECONDS));
      this.#share = { index: Math.max(0, nodes.indexOf(this.#nodeId)), of: Math.max(1, nodes.length) };
      this.#announceAt = secondsFrom(now, ANNOUNCE_EVERY_SECONDS).getTime();
    }
    if (now.getTime() >= this.#countAt) {
      this.#desks = await fleet.countPolled();
      this.#countAt = secondsFrom(now, COUNT_EVERY_SECONDS).getTime();
    }
  }

  #schedule(desk: PolledDesk): void {
    const forgiving = this.#inGrace();
    void this.#enqueue(async () => {
      await this.#check(desk, { precise: false, forgiving });
    });
  }

  async #check(
    desk: PolledDesk,
    how: { precise: boolean; forgiving: boolean },
  ): Promise<'answered' | 'missed' | 'misrouted'> {
    const { outcome, contactAt } = await this.options.checker.check(
      desk,
      this.#heard.get(desk.desk_id) ?? null,
      how.forgiving,
    );
    this.options.checks?.inc({ outcome });
    if (contactAt) this.#noteContact(desk, contactAt, how.precise);
    else this.#heard.delete(desk.desk_id);
    return outcome;
  }

  /** The exact time stays in memory; the stored one follows as often as the size of the fleet allows. */
  #noteContact(desk: PolledDesk, at: Date, precise: boolean): void {
    this.#heard.set(desk.desk_id, at);
    const stored = desk.last_contact_at?.getTime() ?? 0;
    if (precise || at.getTime() - stored >= contactPrecisionMs(this.#desks))
      this.#contacts.set(desk.desk_id, at);
  }

  async #flushContacts(all: boolean): Promise<void> {
    if (this.#contacts.size === 0 || (!all && this.#contacts.size < FLUSH_AT && this.#inFlight.size > 0))
      return;
    const batch = new Map(this.#contacts);
    this.#contacts.clear();
    await fleetStore(this.options.db).writeContacts(batch);
  }

  #restsAfterHand(deskId: string): boolean {
    const at = this.#byHand.get(deskId);
    if (at === undefined) return false;
    if (performance.now() - at < REST_AFTER_HAND_MS) return true;
    this.#byHand.delete(deskId);
    return false;
  }

  #inGrace(): boolean {
    const until = this.#startedAt && secondsFrom(this.#startedAt, this.options.graceSeconds);
    return until !== undefined && this.options.clock.now() < until;
  }

  /** Bounded: a fleet that hangs must not open thousands of connections. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(() =>
        work()
          .catch((error) => this.options.log.warn({ err: error }, 'A desk could not be checked'))
          .then(resolve),
      );
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    while (this.#inFlight.size < MOST_AT_ONCE) {
      const next = this.#waiting.shift();
      if (!next) return;
      const running: Promise<void> = next().finally(() => {
        this.#inFlight.delete(running);
        this.#startWaiting();
      });
      this.#inFlight.add(running);
    }
  }
}
