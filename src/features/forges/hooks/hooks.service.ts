import { MINUTE } from '../../../kernel/clock.js';
import { isUuid } from '../../../kernel/ids.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { HookHeaders } from '../adapter/hook-readers.js';
import { HOOK_READERS } from '../adapter/hook-readers.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import { openHookSecrets } from '../connection/hook-secrets.js';
import { deliveryRefused } from '../forges.errors.js';
import { SYNC_JOB } from '../pull-requests/forge-sync.js';
import { createVerifier, type ReadDelivery, readDelivery, readProof } from './deliveries.js';
import { createUnverifiedBytes } from './held-bytes.js';
import { deliveryStore, findHookedForge, type HookedForge } from './hooks.store.js';

const NO_PROJECT = '00000000-0000-0000-0000-000000000000';
/** Per project and node; beyond this, the whole project is asked about once. */
const MOST_A_MINUTE = 600;

export interface Delivery {
  projectId: string;
  headers: Record<string, string | string[] | undefined>;
  bytes: AsyncIterable<Buffer>;
  clientAddress: string;
}

export type HookService = ReturnType<typeof createHookService>;

/** Webhooks of hosts. A delivery is verified and recorded; a job does everything else. */
export function createHookService({
  db,
  clock,
  secrets,
  jobs,
}: Pick<ForgeOptions, 'db' | 'clock' | 'secrets' | 'jobs'>) {
  const held = createUnverifiedBytes();
  const counted = { minute: 0, deliveries: new Map<string, number>() };

  /** How many deliveries the project had within this minute, including this one. */
  function count(projectId: string, now: Date): number {
    const minute = Math.floor(now.getTime() / 1000 / MINUTE);
    if (counted.minute !== minute) {
      counted.minute = minute;
      counted.deliveries.clear();
    }
    const count = (counted.deliveries.get(projectId) ?? 0) + 1;
    counted.deliveries.set(projectId, count);
    return count;
  }

  /** The body, once its signature is verified. Without a secret to verify it with, nothing of it is kept. */
  async function readSigned(
    delivery: Delivery,
    headers: HookHeaders,
    forge: HookedForge | undefined,
  ): Promise<Buffer> {
    const proof = readProof(headers);
    if (!proof) throw deliveryRefused();
    const known = forge ? openHookSecrets(secrets, forge, clock.now()) : [];
    const verifier = createVerifier(proof, known, HOOK_READERS[forge?.kind ?? 'github'].proof);
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of delivery.bytes) {
        verifier.update(chunk);
        // Counted for every project alike, so that a refusal does not tell which of them have a webhook.
        held.hold(delivery, chunk.length);
        size += chunk.length;
        if (known.length > 0) chunks.push(chunk);
      }
      if (!verifier.isVerified()) throw deliveryRefused();
      return Buffer.concat(chunks);
    } finally {
      held.release(delivery, size);
    }
  }

  async function note(
    { project_id: projectId, brand_id: brandId }: HookedForge,
    read: ReadDelivery,
  ): Promise<void> {
    const now = clock.now();
    const beyond = count(projectId, now) - MOST_A_MINUTE;
    if (beyond > 1) return;
    await inTransaction(db, async (tx) => {
      const store = deliveryStore(tx, brandId);
      const asksAll = read.asksAll || beyond === 1;
      if (!(await store.noteDelivery(projectId, now, asksAll))) throw deliveryRefused();
      const isNew = await store.add(projectId, read.id, read.about, now);
      if (isNew && read.about) await jobs.trigger(tx, SYNC_JOB);
    });
  }

  return {
    async receive(delivery: Delivery): Promise<void> {
      const headers: HookHeaders = (name) => [delivery.headers[name]].flat()[0];
      if (!readProof(headers)) throw deliveryRefused();
      const projectId = isUuid(delivery.projectId) ? delivery.projectId : NO_PROJECT;
      const forge = await findHookedForge(db, projectId);
      const body = await readSigned(delivery, headers, forge);
      if (!forge) throw deliveryRefused();
      const read = readDelivery(HOOK_READERS[forge.kind], headers, body);
      const wanted = read.about?.issues && forge.issues_label === null ? withoutIssues(read) : read;
      await note(forge, wanted);
    },
  };
}

/** For a project that makes no cards from issues. */
function withoutIssues(read: ReadDelivery): ReadDelivery {
  const { pulls = [], shas = [] } = read.about ?? {};
  const isEmpty = pulls.length === 0 && shas.length === 0;
  return {
    ...read,
    about: isEmpty ? null : { pulls, shas, issues: false },
    asksAll: read.asksAll && !isEmpty,
  };
}
