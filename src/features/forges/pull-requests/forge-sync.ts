import { DAY, HOUR, secondsFrom } from '../../../kernel/clock.js';
import { inTransaction } from '../../../platform/database/connection/transaction.js';
import type { Tx } from '../../../platform/database/database.js';
import { sweepInBatches } from '../../../platform/jobs/batches.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import { ForgeFailed } from '../adapter/forge.js';
import type { ConnectedForge, ForgeAccess } from '../connection/forge-access.js';
import type { ForgeOptions } from '../connection/forges.options.js';
import type { SyncCard } from './card-sync.js';
import {
  claimProjects,
  type DueProject,
  deleteDeliveriesBefore,
  giveUpDeliveries,
  listOpenDeliveriesOf,
  listProjectsWithDeliveries,
  noteLookedAt,
  type OpenDelivery,
  pauseHost,
  recordFailure,
  recordSuccess,
} from './forge-sync.store.js';
import { askHost, concernsWholeHost, type HostAnswer } from './host-answer.js';
import { type HostQueue, reportProgress } from './host-queue.js';
import { openingStore } from './openings.store.js';
import { isOpen, type PullRequestRow, pullRequestStore } from './pull-requests.store.js';

/** Planned before the transaction, because planning calls the host, and started within it. */
export interface Rework<Planned = unknown> {
  plan(row: PullRequestRow, answer: HostAnswer, connected: ConnectedForge): Promise<Planned | undefined>;
  begin(tx: Tx, row: PullRequestRow, planned: Planned): Promise<void>;
}

interface ForgeSyncDeps extends Pick<ForgeOptions, 'db' | 'clock' | 'log'> {
  access: Pick<ForgeAccess, 'find'>;
  syncCard: SyncCard;
  rework: Rework;
  syncIssues(connected: ConnectedForge): Promise<void>;
  queue: HostQueue;
}

export const SYNC_JOB = 'forge-pass';

/** Slightly less than two minutes, since the job that finds a project due runs some seconds later. */
const SYNC_SECONDS = 110;
const MOST_PROJECTS = 500;
const MOST_DELIVERIES = 1000;
/** Unchanged pull requests to refresh per project and run, because hosts limit requests. */
const MOST_DETAILED = 15;
const DELIVERY_HOURS = 6;
const MOST_UNKNOWN_ANSWERS = 6;
const KEPT_DAYS = 7;
const AT_ONCE = 4;
const UNEXPECTED = 'The sync with the repository host failed unexpectedly';

/** Hosts are authoritative. Each project is synced separately, so that a hanging host does not delay others. */
export function createForgeSync({
  db,
  clock,
  log,
  access,
  syncCard,
  rework,
  syncIssues,
  queue,
}: ForgeSyncDeps) {
  /** Throws if the host failed, after applying the parts it returned. */
  async function syncPullRequest(connected: ConnectedForge, row: PullRequestRow): Promise<void> {
    const { answer, failure } = await askHost(connected, clock, row.number);
    if (answer) await applyAnswer(connected, row, answer);
    else await postponeUnknown(row);
    if (failure) throw failure;
  }

  async function applyAnswer(
    connected: ConnectedForge,
    row: PullRequestRow,
    answer: HostAnswer,
  ): Promise<void> {
    let failure: unknown;
    const planned = await rework.plan(row, answer, connected).catch((error: unknown) => {
      failure = error;
      return undefined;
    });
    await inTransaction(db, async (tx) => {
      if (!(await openingStore(tx, row.brand_id).hasForge(row.project_id))) return;
      const followed = await syncCard(tx, row, answer);
      if (followed && planned !== undefined) await rework.begin(tx, followed.row, planned);
    });
    if (failure) throw failure;
  }

  const postponeUnknown = (row: PullRequestRow) =>
    pullRequestStore(db, row.brand_id).scheduleSync(
      row.project_id,
      row.number,
      row.look_attempts < MOST_UNKNOWN_ANSWERS ? secondsFrom(clock.now(), HOUR) : null,
    );

  /** Chooses changed, ended and reopened pull requests first, then the longest unrefreshed. */
  async function choose(connected: ConnectedForge, rows: PullRequestRow[], byHand: boolean) {
    const { forge, brandId, projectId } = connected;
    const listed = new Map((await forge.listOpenPullRequests()).map((each) => [each.number, each]));
    const known = new Set(rows.map(({ number }) => number));
    const pulls = [...listed.keys()].filter((number) => !known.has(number));
    const reopened = await pullRequestStore(db, brandId).listNamed(projectId, { pulls, shas: [] });
    const now = clock.now();
    const isDue = (row: PullRequestRow) => isOpen(row) || (row.look_at !== null && row.look_at <= now);
    const hasChanged = (row: PullRequestRow) => {
      const pull = listed.get(row.number);
      return pull ? pull.head.sha !== row.head_sha || pull.state !== row.state : isOpen(row);
    };
    const changed = rows.filter(hasChanged);
    const rest = rows.filter((row) => !hasChanged(row) && isDue(row));
    return [...changed, ...reopened, ...(byHand ? rest : rest.slice(0, MOST_DETAILED))];
  }

  async function syncPullRequests(connected: ConnectedForge, rows: readonly PullRequestRow[]): Promise<void> {
    const left = [...rows];
    let failure: unknown;
    const syncNext = async () => {
      for (let row = left.shift(); row && !stopped; row = left.shift())
        try {
          await syncPullRequest(connected, row);
        } catch (error) {
          const endsAll = !(error instanceof ForgeFailed) || concernsWholeHost(error);
          if (endsAll) left.length = 0;
          if (endsAll || !failure) failure = error;
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, syncNext));
    if (failure) throw failure;
  }

  async function syncProject(due: DueProject, byHand: boolean, onProgress: () => void): Promise<void> {
    const connected = await find(due, onProgress);
    if (!connected) return;
    const followed = await pullRequestStore(db, due.brand_id).listSynced(due.project_id);
    if (followed.length > 0) await syncPullRequests(connected, await choose(connected, followed, byHand));
    if (connected.issues) await syncIssues(connected);
  }

  /** Syncs what webhooks named. A delivery is done once the host has answered. */
  async function syncDelivered(due: DueProject, onProgress: () => void): Promise<void> {
    for (;;) {
      const deliveries = await listOpenDeliveriesOf(db, due, MOST_DELIVERIES);
      if (deliveries.length === 0 || stopped) return;
      const markDone = () =>
        noteLookedAt(
          db,
          due,
          deliveries.map(({ delivery_id }) => delivery_id),
        );
      try {
        await syncNamed(due, deliveries, onProgress);
      } catch (error) {
        // A part that the token cannot read now cannot be read on a retry either.
        if (error instanceof ForgeFailed && !concernsWholeHost(error)) await markDone();
        throw error;
      }
      await markDone();
    }
  }

  async function syncNamed(
    due: DueProject,
    deliveries: OpenDelivery[],
    onProgress: () => void,
  ): Promise<void> {
    const connected = await find(due, onProgress);
    if (!connected) return;
    const rows = await pullRequestStore(db, due.brand_id).listNamed(due.project_id, {
      pulls: [...new Set(deliveries.flatMap(({ about }) => about.pulls ?? []))],
      shas: [...new Set(deliveries.flatMap(({ about }) => about.shas ?? []))],
    });
    await syncPullRequests(connected, rows);
    if (connected.issues && deliveries.some(({ about }) => about.issues)) await syncIssues(connected);
  }

  async function find({ brand_id, project_id }: DueProject, onProgress: () => void) {
    const found = await access.find(brand_id, project_id);
    return found && { ...found, forge: reportProgress(found.forge, onProgress) };
  }

  async function recordResult(due: DueProject, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      await recordSuccess(db, due, clock.now());
      return true;
    } catch (error) {
      if (stopped) return false;
      if (!(error instanceof ForgeFailed)) log.error({ err: error, project: due.project_id }, UNEXPECTED);
      const failure = error instanceof ForgeFailed ? error : new ForgeFailed('unreachable', UNEXPECTED);
      await recordFailure(db, due, failure);
      await pauseHost(db, due, failure, clock.now());
      return false;
    }
  }

  async function sweep(now: Date, signal: AbortSignal): Promise<void> {
    await giveUpDeliveries(db, secondsFrom(now, -DELIVERY_HOURS * HOUR));
    const before = secondsFrom(now, -KEPT_DAYS * DAY);
    await sweepInBatches(signal, (limit) => deleteDeliveriesBefore(db, before, limit));
  }

  let stopped = false;

  return {
    /** Syncs due projects and those named by webhooks; `byHand` syncs everything. */
    async run({ signal, byHand = false }: { signal: AbortSignal; byHand?: boolean }): Promise<JobResult> {
      const now = clock.now();
      const next = secondsFrom(now, SYNC_SECONDS);
      const whole = await claimProjects(db, { now, next, byHand, limit: MOST_PROJECTS });
      const named = await listProjectsWithDeliveries(db, { now, byHand, limit: MOST_PROJECTS });
      const result = { processed: 0, failed: 0 };
      const begin = async (
        due: DueProject,
        kind: string,
        work: (onProgress: () => void) => Promise<void>,
      ) => {
        const succeeded = await queue.run(`${kind} ${due.project_id}`, (onProgress) =>
          recordResult(due, () => work(onProgress)),
        );
        if (succeeded !== undefined) result[succeeded ? 'processed' : 'failed'] += 1;
      };
      // Pull requests named by a webhook do not wait for the rest of their project.
      await Promise.all([
        ...named.map((due) => begin(due, 'named', (onProgress) => syncDelivered(due, onProgress))),
        ...whole.map((due) => begin(due, 'all', (onProgress) => syncProject(due, byHand, onProgress))),
      ]);
      await sweep(now, signal);
      return result;
    },

    stop(): void {
      stopped = true;
    },
  };
}
