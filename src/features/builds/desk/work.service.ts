import { inTransaction } from '../../../database/connection/transaction.js';
import type { DeskCaller } from '../../../kernel/access.js';
import { unauthorized } from '../../../kernel/errors.js';
import { codersOf } from '../../../kernel/runtimes.js';
import { randomSecret } from '../../../kernel/secrets.js';
import type { BuilderDesk } from '../../workstations/workstations.service.js';
import type { WorkBell } from '../build-news.js';
import type { BuildOptions } from '../builds.options.js';
import { hashClaim } from './claim-check.js';
import type { Order, WorkAnswer, WorkBody } from './desk.schemas.js';
import { deskWorkStore } from './desk-work.store.js';
import { createToldOrders } from './told-orders.js';

interface WorkDeps extends Pick<BuildOptions, 'db' | 'clock' | 'boards' | 'desks'> {
  bell: WorkBell;
}

interface Asked {
  coders: readonly string[];
  slots: number;
  running: string[];
}

const LONGEST_WAIT_SECONDS = 50;
/** A waiting desk looks by itself after this while: a claim may have died, a hold ended, a message got lost. */
const LOOK_AGAIN_MS = 10_000;

const deskReleased = () => unauthorized('This desk was released', { 'www-authenticate': 'Bearer' });

/** Desks ask for work; nothing is kept open for them but the request itself. */
export function createWorkService({ db, clock, boards, desks, bell }: WorkDeps) {
  const told = createToldOrders();

  async function getDesk(caller: DeskCaller): Promise<BuilderDesk> {
    const desk = await desks.findBuilder(caller.brandId, caller.deskId);
    if (!desk) throw deskReleased();
    return desk;
  }

  async function listen(caller: DeskCaller, running: string[]): Promise<void> {
    if (running.length === 0) return;
    const now = clock.now();
    const cards = await deskWorkStore(db, caller.brandId).hear(caller.deskId, running, now);
    if (cards.length > 0) await boards.noteSignsOfLife(db, caller.brandId, cards, now);
  }

  async function claim(caller: DeskCaller, { slots, ...asked }: Asked): Promise<Order[]> {
    if (slots === 0 || asked.coders.length === 0) return [];
    const claims = Array.from({ length: slots }, () => randomSecret());
    const given = await inTransaction(db, (tx) =>
      deskWorkStore(tx, caller.brandId).claim(caller.deskId, asked, claims.map(hashClaim), clock.now()),
    );
    return given
      .sort((one, other) => one.nth - other.nth)
      .map(({ build_id, nth }) => ({ kind: 'start', build_id, claim: claims[nth - 1]! }));
  }

  async function listCancels(caller: DeskCaller, running: string[]) {
    const builds = await deskWorkStore(db, caller.brandId).listToCancel(caller.deskId, running, clock.now());
    return {
      orders: builds.map((build_id): Order => ({ kind: 'cancel', build_id })),
      news: builds.some((buildId) => told.isNews(caller.deskId, buildId)),
    };
  }

  /** What there is for the desk at this moment, and whether that is a reason to answer. */
  async function look(
    caller: DeskCaller,
    desk: BuilderDesk,
    asked: Asked,
  ): Promise<{ orders: Order[]; news: boolean }> {
    const { orders: cancels, news } = await listCancels(caller, asked.running);
    const starts = desk.ready ? await claim(caller, asked) : [];
    return { orders: [...cancels, ...starts], news: news || starts.length > 0 };
  }

  async function waitForOrders(
    caller: DeskCaller,
    body: WorkBody,
    first: BuilderDesk,
    coders: readonly string[],
    signal: AbortSignal,
  ): Promise<Order[]> {
    const { slots, running = [], wait_seconds = LONGEST_WAIT_SECONDS } = body;
    const until = performance.now() + wait_seconds * 1000;
    const listening = bell.listen(caller.brandId, caller.deskId, signal);
    try {
      for (let desk = first; ; desk = await getDesk(caller)) {
        // A token that was replaced meanwhile has no say any more.
        if (desk.tokenMark !== first.tokenMark) throw deskReleased();
        const { orders, news } = await look(caller, desk, { coders, slots, running });
        const left = until - performance.now();
        if (news || left <= 0 || listening.over) return orders;
        const pause = orders.length > 0 ? told.tellAgainMs : LOOK_AGAIN_MS;
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
      const known = codersOf(desk.runtime);
      const coders = body.coders ? known.filter((coder) => body.coders!.includes(coder)) : known;
      await deskWorkStore(db, caller.brandId).noteAsking(
        caller.deskId,
        { slots: body.slots, coders, missing: cleanMissing(body.missing) },
        clock.now(),
      );
      await desks.reports.heartbeat(caller);
      await listen(caller, body.running ?? []);
      const orders = await waitForOrders(caller, body, desk, coders, signal);
      for (const { kind, build_id } of orders) if (kind === 'cancel') told.note(caller.deskId, build_id);
      const text = JSON.stringify({ orders });
      return { text, proof: desk.prove(body.nonce + text) };
    },
  };
}

const LONGEST_REASON = 300;

/** It is shown to people in the middle of a sentence, whatever a program on the desk has said. */
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
