import type { Db } from '../../database/database.js';
import { type Clock, MINUTE, secondsFrom } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { PassResult } from '../../services/jobs.js';
import type { DeskNetworkRule } from './desk-address.js';
import type { PolledDesk } from './fleet.store.js';
import type { ServiceAddress } from './installer.js';
import { machineUpdateStore, type OpenUpdate } from './machine-updates.store.js';
import type { SidecarClient } from './sidecar-client.js';
import type { HealthReport } from './sidecar-protocol.js';
import type { SidecarRelease } from './sidecar-release.js';

interface UpdateRunnerOptions {
  db: Db;
  clock: Clock;
  log: Log;
  client: SidecarClient;
  address: ServiceAddress;
  loadRelease(): Promise<SidecarRelease>;
  networkRule(desk: { mesh_address: string | null }): DeskNetworkRule;
}

const AT_ONCE = 20;
/** A desk that has not come up with the new version by then has gone back to the old one. */
const PATIENCE_SECONDS = 10 * MINUTE;

/** Carries out queued updates where no build runs, and sees the running ones through. */
export class UpdateRunner {
  constructor(private readonly options: UpdateRunnerOptions) {}

  async runPass(signal: AbortSignal): Promise<PassResult> {
    const result = { processed: 0, failed: 0 };
    let last: OpenUpdate | undefined;
    do {
      const open: OpenUpdate[] = await machineUpdateStore(this.options.db).listOpen(last, AT_ONCE);
      for (const outcome of await Promise.all(open.map((update) => this.#advanceSafely(update)))) {
        if (outcome === 'moved') result.processed += 1;
        if (outcome === 'failed') result.failed += 1;
      }
      last = open.at(-1);
    } while (last && !signal.aborted);
    return result;
  }

  async #advanceSafely(update: OpenUpdate): Promise<'moved' | 'waits' | 'failed'> {
    try {
      return await (update.status === 'queued' ? this.#startUpdate(update) : this.#seeThrough(update));
    } catch (error) {
      this.options.log.warn(
        { err: error, update: update.update_id },
        'A machine update could not be advanced',
      );
      return 'waits';
    }
  }

  async #startUpdate(update: OpenUpdate): Promise<'moved' | 'waits' | 'failed'> {
    const { db, clock, client } = this.options;
    const updates = machineUpdateStore(db);
    const desk = await updates.findDesk(update.desk_id);
    const health = desk && (await this.#readHealth(desk));
    if (!desk || !health || health.building) return 'waits';
    const release = await this.options.loadRelease();
    const versions = {
      from: [health.version, health.codeDigest],
      to: [release.version, release.codeDigest],
    } satisfies Parameters<typeof updates.begin>[1];
    if (!(await updates.begin(update.update_id, versions, clock.now()))) return 'waits';

    const order = { version: release.version, url: this.#bundleUrl(), code_digest: release.codeDigest };
    const answer = await client.orderUpdate(
      desk.sidecar_url,
      this.options.networkRule(desk),
      desk.token_hash,
      order,
    );
    if ('fault' in answer || answer.status === 409) {
      await updates.requeue(update.update_id);
      return 'waits';
    }
    if (answer.status >= 200 && answer.status < 300) return 'moved';
    await updates.finish(
      update.update_id,
      `The desk refused the update with status ${answer.status}`,
      clock.now(),
    );
    return 'failed';
  }

  async #seeThrough(update: OpenUpdate): Promise<'moved' | 'waits' | 'failed'> {
    const { db, clock } = this.options;
    const updates = machineUpdateStore(db);
    const desk = await updates.findDesk(update.desk_id);
    const health = desk && (await this.#readHealth(desk));
    if (health && health.version === update.to_version && health.codeDigest === update.to_code_digest) {
      await updates.finish(update.update_id, null, clock.now());
      return 'moved';
    }
    const reported =
      health?.updateFailure?.codeDigest === update.to_code_digest ? health?.updateFailure?.error : undefined;
    const overdue =
      update.started_at !== null && clock.now() > secondsFrom(update.started_at, PATIENCE_SECONDS);
    if (reported === undefined && !overdue) return 'waits';
    const error = reported ?? `The desk did not report version ${update.to_version} within 10 minutes`;
    await updates.finish(update.update_id, error, clock.now());
    return 'failed';
  }

  /** undefined when the desk does not answer as itself: then it is not the time to update it. */
  async #readHealth(desk: PolledDesk): Promise<HealthReport | undefined> {
    const answer = await this.options.client.readHealth(
      desk.sidecar_url,
      this.options.networkRule(desk),
      desk.token_hash,
    );
    return 'health' in answer && answer.proved && answer.health.envId === desk.desk_id
      ? answer.health
      : undefined;
  }

  #bundleUrl(): string {
    return `${this.options.address.installUrl.replace(/\/+$/, '')}/install/sidecar.mjs`;
  }
}
