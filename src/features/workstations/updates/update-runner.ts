import { type Clock, MINUTE, secondsFrom } from '../../../kernel/clock.js';
import type { Log } from '../../../kernel/log.js';
import type { Db } from '../../../platform/database/database.js';
import type { JobResult } from '../../../platform/jobs/jobs.js';
import type { DeskKeys } from '../desks/desk-keys.js';
import { fleetStore, type PolledDesk } from '../desks/fleet.store.js';
import { loadSidecarRelease, type ServiceAddress } from '../installer/installer.js';
import type { NetworkRuleOf } from '../sidecar/desk-address.js';
import type { SidecarClient } from '../sidecar/sidecar-client.js';
import type { HealthReport, UpdateOrder } from '../sidecar/sidecar-protocol.js';
import { SHARED_SIDECAR } from '../workstations.errors.js';
import { machineUpdateStore, type OpenUpdate } from './updates.store.js';

interface UpdateRunnerOptions {
  db: Db;
  clock: Clock;
  log: Log;
  client: SidecarClient;
  address: ServiceAddress;
  keys: Pick<DeskKeys, 'proofKey'>;
  networkRule: NetworkRuleOf;
}

type Outcome = 'advanced' | 'waiting' | 'failed';

const AT_ONCE = 20;
/** A desk that has not reported the new version by then has rolled back to the old one. */
const TIMEOUT_SECONDS = 10 * MINUTE;

/** Sends queued updates to desks without a running build and follows the running ones. */
export function createUpdateRunner(options: UpdateRunnerOptions) {
  const { db, clock, log, client, address, networkRule, keys } = options;
  const updates = machineUpdateStore(db);

  /** Undefined when the desk does not answer or does not prove its token. */
  async function readHealth(desk: PolledDesk): Promise<HealthReport | undefined> {
    const answer = await client.readHealth(desk.sidecar_url, networkRule(desk), keys.proofKey(desk));
    return 'health' in answer && answer.proved && answer.health.envId === desk.desk_id
      ? answer.health
      : undefined;
  }

  async function startUpdate(update: OpenUpdate): Promise<Outcome> {
    const desk = await fleetStore(db).find(update.desk_id);
    const health = desk && (await readHealth(desk));
    const installationId = health?.installationId ?? null;
    if (await updates.refuseShared(update.update_id, installationId, SHARED_SIDECAR, clock.now()))
      return 'failed';
    if (!desk || !health || health.building) return 'waiting';
    const release = await loadSidecarRelease();
    const started = await updates.begin(
      update.update_id,
      {
        installationId,
        from: [health.version, health.codeDigest],
        to: [release.version, release.codeDigest],
      },
      clock.now(),
    );
    if (!started) return 'waiting';
    return sendOrder(update, desk, {
      version: release.version,
      url: `${address.installUrl.replace(/\/+$/, '')}/install/sidecar.mjs`,
      code_digest: release.codeDigest,
      sequence: started.sequence,
    });
  }

  async function sendOrder(update: OpenUpdate, desk: PolledDesk, order: UpdateOrder): Promise<Outcome> {
    const answer = await client.orderUpdate(desk.sidecar_url, networkRule(desk), keys.proofKey(desk), order);
    if ('fault' in answer || answer.status === 409) {
      await updates.requeue(update.update_id);
      return 'waiting';
    }
    if (answer.status >= 200 && answer.status < 300) return 'advanced';
    const error = `The desk refused the update with status ${answer.status}`;
    await updates.finish(update.update_id, error, clock.now());
    return 'failed';
  }

  async function checkRunning(update: OpenUpdate): Promise<Outcome> {
    const desk = await fleetStore(db).find(update.desk_id);
    const health = desk && (await readHealth(desk));
    if (health && health.version === update.to_version && health.codeDigest === update.to_code_digest) {
      await updates.finish(update.update_id, null, clock.now());
      return 'advanced';
    }
    const reported =
      health?.updateFailure?.codeDigest === update.to_code_digest ? health?.updateFailure?.error : undefined;
    const overdue =
      update.started_at !== null && clock.now() > secondsFrom(update.started_at, TIMEOUT_SECONDS);
    if (reported === undefined && !overdue) return 'waiting';
    const error = reported ?? `The desk did not report version ${update.to_version} within 10 minutes`;
    await updates.finish(update.update_id, error, clock.now());
    return 'failed';
  }

  async function advance(update: OpenUpdate): Promise<Outcome> {
    try {
      return await (update.status === 'queued' ? startUpdate(update) : checkRunning(update));
    } catch (error) {
      log.warn({ err: error, update: update.update_id }, 'A machine update could not be advanced');
      return 'waiting';
    }
  }

  return {
    async runUpdates(signal: AbortSignal): Promise<JobResult> {
      const result = { processed: 0, failed: 0 };
      let last: OpenUpdate | undefined;
      do {
        const open: OpenUpdate[] = await updates.listOpen(last, AT_ONCE);
        for (const outcome of await Promise.all(open.map(advance))) {
          if (outcome === 'advanced') result.processed += 1;
          if (outcome === 'failed') result.failed += 1;
        }
        last = open.at(-1);
      } while (last && !signal.aborted);
      return result;
    },
  };
}
