import type { MemberCaller } from '../../../kernel/access.js';
import { recordAudit } from '../../../platform/audit/audit.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { machineMissing } from '../builds.errors.js';
import type { Worker } from '../record/build-access.js';
import type { BuildDeps } from '../record/build-deps.js';
import type { BuildRow } from '../record/builds.store.js';
import { beginning } from '../record/notifications.js';
import type { WorkSignal } from '../record/work-signal.js';
import type { FinishBody } from './desk.schemas.js';
import { deskWorkStore } from './desk-work.store.js';

const LONGEST_HOLD_MS = 31 * 24 * 60 * 60 * 1000;

/** How Claude Code, Codex and their providers report a refused login. */
const REFUSALS = [
  /\bplease run \/login\b/i,
  /\bnot logged in\b/i,
  /\binvalid api key\b/i,
  /\bauthentication_error\b/i,
  /\b(?:api error|status):? 401\b/i,
  /\b401 unauthorized\b/i,
  /\b(?:access|refresh|oauth) token\b.{0,80}\b(?:expired|revoked|already used|could not be refreshed)\b/i,
];
const READ_OF_REASON = 1000;

const isLoginRefusal = (reason: string | null | undefined): boolean => {
  const text = (reason ?? '').slice(0, READ_OF_REASON);
  return REFUSALS.some((words) => words.test(text));
};

export type HoldService = ReturnType<typeof createHoldService>;

export function createHoldService(deps: BuildDeps & { workSignal: WorkSignal }) {
  const { db, clock, desks, inbox, workSignal } = deps;

  async function forgetRefusals(
    tx: Tx,
    { brandId, deskId }: { brandId: number; deskId: string },
    coders?: readonly string[],
  ): Promise<boolean> {
    const at = clock.now();
    const ended = await deskWorkStore(tx, brandId).clearRefusals(deskId, coders);
    for (const { task_id: taskId, build_id: buildId, at: since } of ended)
      await inbox.settle(tx, { brandId, taskId, buildId, kind: 'login_refused', until: new Date(since), at });
    if (ended.length === 0) return false;
    await desks.noteEvent(tx, { brandId, deskId }, { kind: 'hold_lifted', at });
    await workSignal.announce(tx, brandId, deskId);
    return true;
  }

  return {
    /** Stops handing builds of this coder to the desk, since they would fail too. */
    async noteRefusal(
      tx: Tx,
      { brandId, deskId }: Pick<Worker, 'brandId' | 'deskId'>,
      { coder, build_id: buildId, task_id: taskId }: Pick<BuildRow, 'coder' | 'build_id' | 'task_id'>,
      { outcome, reason }: FinishBody,
      at: Date,
    ): Promise<void> {
      if (deskId === undefined || outcome !== 'failed' || !isLoginRefusal(reason)) return;
      const store = deskWorkStore(tx, brandId);
      const desk = await store.noteRefusal(deskId, { coder, build_id: buildId, task_id: taskId }, at);
      if (!desk) return;
      await desks.noteEvent(
        tx,
        { brandId, deskId },
        { kind: 'login_refused', at, reason: `${coder}: ${beginning(reason ?? null)}` },
      );
      const excerpt = beginning(`The login of ${coder} on desk ${desk.name} was refused: ${reason}`);
      const to = { users: await store.listOwners(deskId) };
      await inbox.notify(tx, [
        { brandId, kind: 'login_refused', taskId, buildId, at, actor: null, excerpt, to },
      ]);
    },

    endRefusals: (desk: { brandId: number; deskId: string }, coders: readonly string[]): Promise<boolean> =>
      inTransaction(db, (tx) => forgetRefusals(tx, desk, coders)),

    async retryLogins(caller: MemberCaller, deskId: string): Promise<void> {
      if (!(await desks.findBuilder(caller.brandId, deskId))) throw machineMissing();
      await inTransaction(db, async (tx) => {
        if (!(await forgetRefusals(tx, { brandId: caller.brandId, deskId }))) return;
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'workstation.logins_retried',
          subject: `workstation:${deskId}`,
          at: clock.now(),
        });
      });
    },

    /** Holds apply to desks only. */
    async keepHold(
      tx: Tx,
      { brandId, deskId }: Pick<Worker, 'brandId' | 'deskId'>,
      heldUntil: string | null | undefined,
      now: Date,
    ) {
      if (!heldUntil || deskId === undefined) return;
      const until = Math.min(new Date(heldUntil).getTime(), now.getTime() + LONGEST_HOLD_MS);
      if (until <= now.getTime()) return;
      const moment = new Date(until);
      await deskWorkStore(tx, brandId).noteHold(deskId, moment);
      await desks.noteEvent(
        tx,
        { brandId, deskId },
        { kind: 'held', at: now, reason: `until ${moment.toISOString()}` },
      );
    },

    async liftHold(caller: MemberCaller, deskId: string): Promise<void> {
      if (!(await desks.findBuilder(caller.brandId, deskId))) throw machineMissing();
      const now = clock.now();
      await inTransaction(db, async (tx) => {
        if (!(await deskWorkStore(tx, caller.brandId).liftHold(deskId, now))) return;
        await desks.noteEvent(tx, { brandId: caller.brandId, deskId }, { kind: 'hold_lifted', at: now });
        await recordAudit(tx, {
          brandId: caller.brandId,
          actor: caller,
          action: 'workstation.hold_lifted',
          subject: `workstation:${deskId}`,
          at: now,
        });
        workSignal.announce(tx, caller.brandId, deskId);
      });
    },
  };
}
