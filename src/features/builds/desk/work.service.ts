import { LRUCache } from 'lru-cache';
import type { DeskCaller } from '../../../kernel/access.js';
import { unauthorized } from '../../../kernel/errors.js';
import { canRun, codersOf, isRefused, type Runtime } from '../../../kernel/plans.js';
import { randomSecret } from '../../../kernel/secrets.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import type { BuilderDesk } from '../../workstations/index.js';
import type { Reservations } from '../budget/reservations.js';
import { checkRunStore } from '../checks/checks.store.js';
import { lifecycleStore, type RunningBuild } from '../lifecycle/lifecycle.store.js';
import { questionStore, type Undelivered } from '../questions/questions.store.js';
import { deskCoderStore } from '../queue/desk-coders.store.js';
import { hashClaim } from '../record/build-access.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { WorkSignal } from '../record/work-signal.js';
import type { Order, WorkAnswer, WorkBody } from './desk.schemas.js';
import { deskWorkStore } from './desk-work.store.js';
import type { HoldService } from './holds.service.js';

interface WorkDeps extends BuildDeps {
  workSignal: WorkSignal;
  reservations: Reservations;
  holds: HoldService;
}

interface Asked {
  coders: readonly string[];
  wrapped: readonly string[];
  slots: number;
  running: RunningBuild[];
}

const LONGEST_WAIT_SECONDS = 50;
/** Finds changes that no signal announced, such as expired claims and holds. */
const LOOK_AGAIN_MS = 10_000;

/** Each round finds at most one project without budget. */
const MOST_ROUNDS = 50;

const deskReleased = () => unauthorized('This desk was released', { 'www-authenticate': 'Bearer' });

export function createWorkService({ db, clock, boards, desks, workSignal, reservations, holds }: WorkDeps) {
  const sent = createSentOrders();

  async function getDesk(caller: DeskCaller): Promise<BuilderDesk> {
    const desk = await desks.findBuilder(caller.brandId, caller.deskId);
    if (!desk) throw deskReleased();
    return desk;
  }

  async function listen(caller: DeskCaller, running: RunningBuild[]): Promise<void> {
    if (running.length === 0) return;
    const now = clock.now();
    const building = await lifecycleStore(db, caller.brandId).hear(caller.deskId, running, now);
    const checking = await checkRunStore(db, caller.brandId).hear(
      caller.deskId,
      running.map(({ build_id }) => build_id),
      now,
    );
    const cards = [...building.map(({ card }) => card), ...checking];
    if (cards.length > 0) await boards.noteSignsOfLife(db, caller.brandId, cards, now);
    const progress = building.flatMap(({ card, percent }) => (percent === null ? [] : [{ card, percent }]));
    if (progress.length > 0) await boards.noteProgress(db, caller.brandId, progress, now);
  }

  /** Checks go first, because their builds are nearly done. */
  async function claim(caller: DeskCaller, asked: Asked): Promise<Order[]> {
    const checks = await claimChecks(caller, asked);
    const slots = asked.slots - checks.length;
    if (slots === 0 || asked.coders.length === 0) return checks;
    const builds = await inTransaction(db, (tx) => claimPaid(tx, caller, { ...asked, slots }));
    return [...checks, ...builds];
  }

  async function claimChecks({ brandId, deskId }: DeskCaller, { slots, running }: Asked): Promise<Order[]> {
    if (slots === 0) return [];
    const claims = Array.from({ length: slots }, () => randomSecret());
    const ids = running.map(({ build_id }) => build_id);
    const given = await inTransaction(db, (tx) =>
      checkRunStore(tx, brandId).claim(deskId, ids, claims.map(hashClaim), clock.now()),
    );
    return given
      .sort((one, other) => one.nth - other.nth)
      .map(({ build_id, nth }) => ({ kind: 'check', build_id, claim: claims[nth - 1]! }));
  }

  /** A build without budget must not block others. */
  async function claimPaid(
    tx: Tx,
    caller: DeskCaller,
    { coders, wrapped, slots, running }: Asked,
  ): Promise<Order[]> {
    const store = lifecycleStore(tx, caller.brandId);
    const passOver = { builds: [] as string[], projects: [] as string[] };
    const wanted = { coders, wrapped, running: running.map(({ build_id }) => build_id), passOver };
    const orders: Order[] = [];
    for (let round = 0; round < MOST_ROUNDS && orders.length < slots; round += 1) {
      const claims = Array.from({ length: slots - orders.length }, () => randomSecret());
      const given = await store.claim(caller.deskId, wanted, claims.map(hashClaim), clock.now());
      if (given.length === 0) break;
      given.sort((one, other) => one.nth - other.nth);
      const refused = await reservations.reserve(tx, caller.brandId, given);
      for (const { build_id, nth } of given)
        if (!refused.has(build_id)) orders.push({ kind: 'start', build_id, claim: claims[nth - 1]! });
      if (refused.size === 0) break;
      await store.putBack([...refused.keys()]);
      passOver.builds.push(...given.map(({ build_id }) => build_id));
      for (const { limit } of refused.values()) {
        if (limit.scope === 'project') passOver.projects.push(limit.subject);
        if (limit.scope === 'workspace') return orders;
      }
    }
    return orders;
  }

  async function listEndings(caller: DeskCaller, running: RunningBuild[]) {
    const store = deskWorkStore(db, caller.brandId);
    const ids = running.map(({ build_id }) => build_id);
    const canceled = await store.listToCancel(caller.deskId, ids, clock.now());
    const stopped = await store.listToStop(caller.deskId, clock.now());
    const answers = await questionStore(db, caller.brandId).listUndelivered(caller.deskId);
    const orders: Order[] = [
      ...answers.map(orderOfAnswer),
      ...canceled.map((build_id): Order => ({ kind: 'cancel', build_id })),
      ...stopped.map(({ build_id, reason }): Order => ({ kind: 'stop', build_id, reason })),
      // Desks of older releases do not know stop orders.
      ...stopped.filter(({ slow }) => slow).map(({ build_id }): Order => ({ kind: 'cancel', build_id })),
    ];
    return { orders, news: orders.some((order) => sent.isNews(caller.deskId, order)) };
  }

  async function look(
    caller: DeskCaller,
    desk: BuilderDesk,
    asked: Asked,
  ): Promise<{ orders: Order[]; news: boolean }> {
    const { orders: endings, news } = await listEndings(caller, asked.running);
    const starts = desk.ready ? await claim(caller, asked) : [];
    return { orders: [...endings, ...starts], news: news || starts.length > 0 };
  }

  async function waitForOrders(
    caller: DeskCaller,
    body: WorkBody,
    first: BuilderDesk,
    able: Pick<Asked, 'coders' | 'wrapped'>,
    signal: AbortSignal,
  ): Promise<Order[]> {
    const { slots, wait_seconds = LONGEST_WAIT_SECONDS } = body;
    const running = readRunning(body.running);
    const until = performance.now() + wait_seconds * 1000;
    const listening = workSignal.listen(caller.brandId, caller.deskId, signal);
    try {
      for (let desk = first; ; desk = await getDesk(caller)) {
        // The token was replaced during the wait.
        if (desk.tokenMark !== first.tokenMark) throw deskReleased();
        const { orders, news } = await look(caller, desk, { ...able, slots, running });
        const left = until - performance.now();
        if (news || left <= 0 || listening.over) return orders;
        const pause = orders.length > 0 ? sent.repeatMs : LOOK_AGAIN_MS;
        await listening.next(Math.min(left, pause));
        if (listening.over) return [];
      }
    } finally {
      listening.close();
    }
  }

  return {
    async ask(caller: DeskCaller, body: WorkBody, signal: AbortSignal): Promise<WorkAnswer> {
      const desk = await getDesk(caller);
      const reported = readCoders(body.coders ?? codersOf(desk.runtime), desk.runtime);
      const coders = reported.map(({ name }) => name);
      // Custom desks of older releases wrap every coder.
      const wrapped = body.wrapped ?? (desk.runtime === 'custom' ? coders : []);
      const missing = cleanMissing(body.missing);
      const { refusals } = await deskWorkStore(db, caller.brandId).noteAsking(
        caller.deskId,
        { slots: body.slots, coders, wrapped, missing },
        clock.now(),
      );
      const missed = readCoders(
        missing.map(({ coder }) => coder),
        desk.runtime,
      );
      await deskCoderStore(db, caller.brandId).note(caller.deskId, [...reported, ...missed], clock.now());
      const over = Object.keys(refusals).filter((coder) => !isRefused(coder, refusals, desk.logins));
      if (over.length > 0) await holds.endRefusals(caller, over);
      await desks.reports.heartbeat(caller);
      await listen(caller, readRunning(body.running));
      if (body.answered)
        await questionStore(db, caller.brandId).noteDelivered(caller.deskId, body.answered, clock.now());
      const orders = await waitForOrders(caller, body, desk, { coders, wrapped }, signal);
      for (const order of orders) if (order.kind !== 'start') sent.note(caller.deskId, order);
      const text = JSON.stringify({ orders });
      return { text, proof: desk.prove(body.nonce + text) };
    },
  };
}

/** Repeats an order that the desk has not followed, without a busy loop. */
const REPEAT_MS = 5_000;

/** An order that this node sent moments ago must not end a desk's wait at once. */
function createSentOrders() {
  const sent = new LRUCache<string, true>({ max: 10_000, ttl: REPEAT_MS });
  const keyOf = (deskId: string, order: Order) =>
    `${deskId} ${order.kind === 'answer' ? order.question_id : order.build_id}`;
  return {
    repeatMs: REPEAT_MS,
    isNews: (deskId: string, order: Order): boolean => !sent.has(keyOf(deskId, order)),
    note: (deskId: string, order: Order): void => void sent.set(keyOf(deskId, order), true),
  };
}

const orderOfAnswer = ({ build_id, question_id, choice, text, expired_at }: Undelivered): Order => ({
  kind: 'answer',
  build_id,
  question_id,
  ...(choice !== null && { choice }),
  ...(text !== null && { text }),
  ...(expired_at && { expired: true }),
});

const readRunning = (running: WorkBody['running'] = []): RunningBuild[] =>
  running.map((said) =>
    typeof said === 'string' ? { build_id: said, progress_at: null } : { progress_at: null, ...said },
  );

type Reported = { name: string; version: string | null };

/** Older desks report names alone. */
function readCoders(said: readonly (string | Reported)[], runtime: Runtime): Reported[] {
  const coders = said.map((one) => (typeof one === 'string' ? { name: one, version: null } : one));
  const byName = new Map(coders.filter(({ name }) => canRun(runtime, name)).map((one) => [one.name, one]));
  return [...byName.values()].map(({ name, version }) => ({
    name,
    version: version?.trim().toWellFormed() ?? null,
  }));
}

const LONGEST_REASON = 300;

/** Shown to people inside a sentence. */
const cleanMissing = (missing: WorkBody['missing'] = []) =>
  missing.map(({ coder, reason }) => ({
    coder,
    reason: reason
      .toWellFormed()
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim()
      .slice(0, LONGEST_REASON),
  }));

export type WorkService = ReturnType<typeof createWorkService>;
