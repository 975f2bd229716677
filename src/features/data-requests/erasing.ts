import { rm } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { withoutAddresses, withoutName } from '../../kernel/actors.js';
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import { forgetAuditedPerson, recordAudit } from '../../platform/audit/audit.js';
import type { SessionLocks } from '../../platform/database/connection/session-locks.js';
import { inTransaction } from '../../platform/database/connection/transaction.js';
import type { Db, Tx } from '../../platform/database/database.js';
import { deleteWorkspaceRows } from '../../platform/database/schema/workspace-rows.js';
import { deleteKeysOf, rewriteKeptAnswers } from '../../platform/http/idempotency/idempotency.js';
import type { ImageStore } from '../../platform/images/images.js';
import type { JobResult } from '../../platform/jobs/jobs.js';
import type { Mailer } from '../../platform/mail/mail-out.js';
import type { BoardService } from '../boards/index.js';
import type { IdentityService } from '../identity/index.js';
import { retireAgentDirectory } from '../memory/index.js';
import type { WebhookService } from '../webhooks/index.js';
import type { WorkspaceService } from '../workspaces/index.js';
import type { WorkstationService } from '../workstations/index.js';
import { type Erasure, erasureStore, type PersonThings, type Things } from './erasures.store.js';

export interface OutsideOptions {
  images: ImageStore;
  mailer: Pick<Mailer, 'forget'>;
  removeMirror(projectId: string): Promise<void>;
  dataDir: string;
  agentsDir: string;
  sourcesDir: string;
  repositoriesDir: string;
}

export type OutsideThings = ReturnType<typeof createOutsideThings>;

const PLAIN_NAME = /^[A-Za-z0-9_-]{1,255}$/;

/** Data outside the database. Removal is idempotent and throws on failure. */
export function createOutsideThings(options: OutsideOptions) {
  const { images, removeMirror, agentsDir } = options;
  const home = resolve(options.dataDir) + sep;
  const remove = (folder: string) => rm(folder, { recursive: true, force: true });

  return {
    async removeImages(keys: readonly string[]): Promise<void> {
      if (images.configured) for (const key of keys) await images.delete(key);
    },

    removeLetters: (addresses: readonly string[]): Promise<void> => options.mailer.forget(addresses),

    removeMailbox: (userId: number): Promise<void> => remove(join(options.dataDir, 'mail', String(userId))),

    /** Runs before the agents' directories are removed, so that no export writes to them after the commit. */
    async retireAgents(tx: Tx, agentIds: readonly string[], now: Date): Promise<void> {
      for (const agentId of agentIds) await retireAgentDirectory(tx, agentId, now);
    },

    async removeThings(brandId: number, things: Things): Promise<void> {
      await this.removeImages(things.images);
      for (const projectId of things.projects) await removeMirror(projectId);
      for (const agentId of things.agents) {
        // Agents with any other id never had a folder.
        if (PLAIN_NAME.test(agentId)) await remove(join(agentsDir, agentId));
      }
      for (const folder of [options.sourcesDir, options.repositoriesDir]) {
        // A folder outside the data directory belongs to the operator and may contain other files.
        if (resolve(folder).startsWith(home)) await remove(join(folder, String(brandId)));
      }
    },
  };
}

export interface ErasingOptions {
  db: Db;
  clock: Clock;
  log: Log;
  locks: SessionLocks;
  outside: OutsideThings;
  identity: Pick<IdentityService, 'changeIdentities' | 'erasing' | 'proofs'>;
  workspaces: Pick<WorkspaceService, 'brands' | 'mailAddresses'>;
  boards: Pick<BoardService, 'people' | 'sweepFiles'>;
  desks: Pick<WorkstationService, 'releaseAll' | 'updates'>;
  webhooks: Pick<WebhookService, 'forgetPerson' | 'closeWorkspace'>;
}

const SERVICE = { kind: 'service' };
const BATCH = 100;

/** The job `erase`. Every step is idempotent, so the job can resume after an interruption. */
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
    const workspaces = await identity.erasing.listPastWorkspaces(db, userId);
    await webhooks.forgetPerson({ userId, addresses }, workspaces, signal);
    await identity.changeIdentities(async (tx) => {
      const now = clock.now();
      await desks.updates.forgetPerson(tx, userId);
      await forgetAuditedPerson(tx, userId);
      await deleteKeysOf(tx, userId, workspaces);
      await rewriteKeptAnswers(tx, [...addresses, `"user_id":${userId},`, `"user_id":${userId}}`], forget);
      await identity.erasing.forgetPerson(tx, userId);
      await erasureStore(tx).finish(erasure_id, now);
      const subject = `user:${userId}`;
      await recordAudit(tx, { brandId: null, actor: SERVICE, action: 'user.erased', subject, at: now });
    });
  }

  /** Saved once before the deletion starts, because it also removes the rows that name these things. */
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
    // A second time, because a concurrent job may have written files again.
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
    async runPass({ signal }: { signal: AbortSignal }): Promise<JobResult> {
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
