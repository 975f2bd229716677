import { inTransaction } from '../../../database/connection/transaction.js';
import type { Tx } from '../../../database/database.js';
import type { MemberCaller } from '../../../kernel/access.js';
import { recordAudit } from '../../../services/audit/audit.js';
import type { WorkBell } from '../build-news.js';
import { machineMissing } from '../builds.errors.js';
import type { BuildOptions } from '../builds.options.js';
import { deskWorkStore } from '../desk/desk-work.store.js';
import type { Worker } from '../worker.js';

const LONGEST_HOLD_MS = 31 * 24 * 60 * 60 * 1000;

export type HoldService = ReturnType<typeof createHoldService>;

/** A desk whose provider takes no more work for a while gets none until then, unless somebody knows better. */
export function createHoldService({
  db,
  clock,
  desks,
  bell,
}: Pick<BuildOptions, 'db' | 'clock' | 'desks'> & { bell: WorkBell }) {
  return {
    /** Of a desk alone: somebody's own machine is their own affair. */
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

    /** Changes nothing where nothing holds it. */
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
        await bell.announce(tx, caller.brandId, deskId);
      });
    },
  };
}
