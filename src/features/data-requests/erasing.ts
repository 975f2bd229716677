import type { Clock } from '../../kernel/clock.js';
import { withoutAddresses, withoutName } from '../../kernel/former-member.js';
import type { Log } from '../../kernel/log.js';
import { forgetAuditedPerson, recordAudit } from '../../platform/audit/audit.js';
import type { SessionLocks } from '../../platform/database/connection/session-locks.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db } from '../../platform/database/database.js';
import { deleteWorkspaceRows } from '../../platform/database/schema/workspace-rows.js';
import { deleteKeysOf, rewriteKeptAnswers } from '../../platform/http/idempotency/idempotency.js';
import type { PassResult } from '../../platform/jobs/jobs.js';
import type { BoardService } from '../boards/index.js';
import type { IdentityService } from '../identity/index.js';
import type { WebhookService } from '../webhooks/index.js';
import type { WorkspaceService } from '../workspaces/index.js';
import type { WorkstationService } from '../workstations/index.js';
import { type Erasure, erasureStore, type PersonThings, type Things } from './erasures.store.js';
import type { OutsideThings } from './outside-things.js';

export interface ErasingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  locks: SessionLocks;
  outside: OutsideThings;
  identity: Pick<IdentityService, 'erasing' | 'changeIdentities'>;
  workspaces: Pick<WorkspaceService, 'brands' | 'mailAddresses'>;
  boards: Pick<BoardService, 'people' | 'sweepFiles'>;
  desks: Pick<WorkstationService, 'releaseAll' | 'updates'>;
  webhooks: Pick<WebhookService, 'forgetPerson' | 'closeWorkspace'>;
}

const SERVICE = { kind: 'service' };
const BATCH = 100;

/** What the job `erase` does. Every step can be repeated, so that it may end anywhere and begin again. */
export function createErasing(options: ErasingOptions) {
  const { db, clock, log, locks, outside, identity, workspaces, boards, desks, webhooks } = options;

  async function erasePerson(
    { erasure_id, subject_id: userId, things }: Erasure,
    signal: AbortSignal,
  ): Promise<void> {
    const { addresses } = (things as PersonThings | null) ?? {
      addresses: await identity.erasing.listAddresses(db, userId),
    };
    const forget = (value: unknown) => withoutAddresses(withoutName(value, userId), userId, addresses);
    await outside.removeLetters(addresses);
    await outside.removeImages(await identity.erasing.listPhotoKeys(userId));
    await outside.removeMailbox(userId);
    await boards.people.forgetPerson(userId, signal);
    const workplaces = await identity.erasing.listPastWorkplaces(db, userId);
    await webhooks.forgetPerson({ userId, addresses }, workplaces, signal);
    await identity.changeIdentities(async (tx) => {
      const now = clock.now();
      await desks.updates.forgetPerson(tx, userId);
      await forgetAuditedPerson(tx, userId);
      await deleteKeysOf(tx, userId, workplaces);
      await rewriteKeptAnswers(tx, [...addresses, `"user_id":${userId},`, `"user_id":${userId}}`], forget);
      await identity.erasing.forgetPerson(tx, userId);
      await erasureStore(tx).finish(erasure_id, now);
      const subject = `user:${userId}`;
      await recordAudit(tx, { brandId: null, actor: SERVICE, action: 'user.erased', subject, at: now });
    });
  }

  /** Noted once, before the first of it goes: the rows that lead there go too. */
  async function noteThings({ erasure_id, subject_id: brandId, things }: Erasure): Promise<Things> {
    if (things !== null) return things as Things;
    const store = erasureStore(db);
    const noted = {
      images: await identity.erasing.listWorkspacePhotoKeys(brandId),
      agents: await store.listAgents(brandId),
      projects: await store.listProjects(brandId),
    };
    await store.saveThings(erasure_id, noted);
    return noted;
  }

  async function eraseWorkspace(erasure: Erasure, signal: AbortSignal): Promise<void> {
    const { erasure_id, subject_id: brandId } = erasure;
    await desks.releaseAll(brandId, SERVICE, signal);
    const things = await noteThings(erasure);
    await inTransaction(db, (tx) => outside.retireAgents(tx, things.agents, clock.now()));
    await outside.removeThings(brandId, things);
    await deleteWorkspaceRows(db, brandId, () => workspaces.brands.remove(brandId), signal);
    await boards.sweepFiles({ signal });
    // Again, for what a pass that was under way put back.
    await outside.removeThings(brandId, things);
    await inTransaction(db, async (tx) => {
      const at = clock.now();
      await erasureStore(tx).finish(erasure_id, at);
      const subject = `brand:${brandId}`;
      await recordAudit(tx, { brandId: null, actor: SERVICE, action: 'brand.erased', subject, at });
    });
  }

  const eraseOne = (erasureId: number, signal: AbortSignal): Promise<boolean> =>
    locks.hold(`erasure:${erasureId}`, signal, async (held) => {
      const erasure = await erasureStore(db).begin(erasureId);
      if (!erasure) return false;
      await (erasure.kind === 'person' ? erasePerson(erasure, held) : eraseWorkspace(erasure, held));
      return true;
    });

  return {
    async runPass({ signal }: { signal: AbortSignal }): Promise<PassResult> {
      let [processed, failed] = [0, 0];
      for (let ids = await erasureStore(db).listOpen(0, BATCH); ids.length > 0; ) {
        for (const id of ids) {
          signal.throwIfAborted();
          try {
            if (await eraseOne(id, signal)) processed += 1;
          } catch (error) {
            failed += 1;
            log.warn({ err: error, erasure: id }, 'Something could not be erased yet; it is tried again');
          }
        }
        ids = await erasureStore(db).listOpen(ids.at(-1)!, BATCH);
      }
      processed += await workspaces.mailAddresses.sweepErased(BATCH);
      return { processed, failed };
    },
  };
}
