import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { tidyCaches } from '../checkout/cache.js';
import { type CheckKeeper, keepChecks } from '../checks/check-keeper.js';
import { type CheckFolder, checkFolder, listCheckFolders } from '../checks/check-protocol.js';
import { type OfferedCoders, offerCoders, readVersions, withoutLoggedOut } from '../coders/coders.js';
import { coderPath } from '../coders/environment.js';
import { createVersions } from '../coders/versions.js';
import { type DeskConfig, type DeskFiles, readIfThere } from '../desk-files.js';
import { isProof, proofKey } from '../protocol.js';
import { findMissingProgram, probeIsolation } from '../runner/isolation.js';
import { endTree } from '../runner/process-tree.js';
import { leaveLedger, renewUid, reserveCheckUid, reserveUid } from '../runner/user-ledger.js';
import { type BuildFolder, buildFolder, type Done, listBuildFolders } from '../spool/build-folder.js';
import { createBuildClient } from './build-client.js';
import { type BuildKeeper, keepBuild } from './build-keeper.js';
import {
  CODERS,
  LONGEST_WAIT_SECONDS,
  parseOrders,
  type WorkOrder,
  type WorkRequest,
} from './build-protocol.js';
import { createBackoff, pause } from './shipper.js';

interface DeskWorkOptions {
  files: DeskFiles;
  config: DeskConfig;
  program: string;
  /** False while this desk is about to update. */
  mayClaim(): boolean;
}

const MOST_SLOTS = 64;
const TIDY_MS = 60 * 60_000;
const NOTHING_NEW_MS = 1_000;
const TAKE_UP_AGAIN_MS = 30_000;
const MOST_NAMED = 256;
const CODERS_MS = 1_000;
const PLAIN_MS = 10 * 60_000;

/** Request formats that releases of the service accept, oldest first. */
const DIALECTS = ['plain', 'progress', 'versions'] as const;

/** An older service rejects requests that name coders that are not built in. */
function onlyBuiltIn({ coders, wrapped, missing }: OfferedCoders): OfferedCoders {
  const isBuiltIn = (name: string) => (CODERS as readonly string[]).includes(name);
  return {
    coders: coders.filter(isBuiltIn),
    ...(wrapped && { wrapped: wrapped.filter(isBuiltIn) }),
    missing: missing.filter(({ coder }) => isBuiltIn(coder)),
  };
}

/** Requests builds from the service, as many as there are free slots, and takes each of them to its end. */
export function createDeskWork({ files, config, program, mayClaim }: DeskWorkOptions) {
  const client = createBuildClient(config);
  const key = proofKey(config.pat);
  const keepers = new Map<string, BuildKeeper>();
  const checkers = new Map<string, CheckKeeper>();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  const versions = createVersions(coderPath(files).join(delimiter));
  let asking: { controller: AbortController; slots: number; offered: string } | undefined;
  const timers: NodeJS.Timeout[] = [];

  const building = (): number =>
    [...keepers.values(), ...checkers.values()].filter((keeper) => keeper.holdsSlot()).length;
  const freeSlots = (): number => (mayClaim() ? Math.max(0, readSlots(files) - building()) : 0);

  const takeUid = (folder: BuildFolder): number | null =>
    probeIsolation(config.isolation) === 'none' ? null : reserveUid(folder.spool);

  function keep(folder: BuildFolder): void {
    const keeper = keepBuild({ files, folder, client, program, signal: ending.signal, takeUid });
    keepers.set(folder.buildId, keeper);
    void keeper
      .see()
      .catch(async (error: Error) => {
        // For example a full disk; keep the folder and retry.
        console.error(`Build ${folder.buildId}: ${error.message}`);
        await pause(TAKE_UP_AGAIN_MS, ending.signal);
        if (!ending.signal.aborted) setImmediate(() => keep(folder));
      })
      .finally(() => {
        keepers.delete(folder.buildId);
        askAgain();
      });
    // The slot is free before the build has been shipped.
    const watch = setInterval(() => {
      if (keeper.holdsSlot() && keepers.has(folder.buildId)) return;
      clearInterval(watch);
      askAgain();
    }, 250);
    watch.unref();
  }

  const takeCheckUid = (folder: CheckFolder): number | null =>
    probeIsolation(config.isolation) === 'none' ? null : reserveCheckUid(folder.spool);

  /** A failure loses nothing, because the service repeats the checks. */
  function check(folder: CheckFolder): void {
    const keeper = keepChecks({
      files,
      folder,
      client,
      program,
      signal: ending.signal,
      takeUid: takeCheckUid,
    });
    checkers.set(folder.buildId, keeper);
    const endRest = () => endBuilds([folder]);
    void keeper
      .see(endRest)
      .catch(async (error: Error) => {
        console.error(`The checks of ${folder.buildId}: ${error.message}`);
        await endRest();
        folder.drop();
      })
      .catch((error: Error) => console.error(error.message))
      .finally(() => {
        checkers.delete(folder.buildId);
        askAgain();
      });
  }

  /** Without a claim the service accepts nothing, so the work stays here. */
  async function retire(folder: BuildFolder): Promise<void> {
    if (!existsSync(folder.area)) return folder.drop();
    await endBuilds([folder]);
    folder.close({ at: new Date().toISOString(), how: 'abandoned', commits: 'none' });
  }

  /** Ask again at once when a slot became free after a request without any. */
  function askAgain(): void {
    if (asking && asking.slots === 0 && freeSlots() > 0) asking.controller.abort();
  }

  /** Ask again at once when the offered coders changed. */
  function askWithNewCoders(): void {
    if (asking && asking.offered !== JSON.stringify(readOffer())) asking.controller.abort();
  }

  function follow(order: WorkOrder): boolean {
    const keeper = keepers.get(order.build_id);
    const checker = checkers.get(order.build_id);
    if (order.kind === 'stop') {
      if (!keeper || keeper.cancelWanted()) return false;
      keeper.cancel(order.reason);
      return true;
    }
    if (order.kind === 'cancel') {
      const open = [keeper, checker].filter((one) => one && !one.cancelWanted());
      for (const one of open) one?.cancel();
      return open.length > 0;
    }
    if (order.kind === 'check') {
      if (checker || freeSlots() === 0) return false;
      const folder = checkFolder(files, order.build_id);
      folder.create(order.claim);
      check(folder);
      return true;
    }
    const folder = buildFolder(files, order.build_id);
    // A build that was started here is never started again.
    if (keeper || folder.started() || folder.done() || freeSlots() === 0) return false;
    folder.create(order.claim);
    keep(folder);
    return true;
  }

  /** After a service rejects a request, use an older format for ten minutes before trying the newest again. */
  let dialect = DIALECTS.length - 1;
  let dialectUntil = 0;
  const knows = (what: (typeof DIALECTS)[number]): boolean => {
    if (performance.now() > dialectUntil) dialect = DIALECTS.length - 1;
    return dialect >= DIALECTS.indexOf(what);
  };
  const nameRunning = (): WorkRequest['running'] => {
    const builds = [...keepers.values()].map(({ buildId, progressAt, percent }) => {
      const progress_at = knows('progress') ? progressAt() : undefined;
      const progress_percent = knows('versions') ? percent() : undefined;
      if (progress_at === undefined && progress_percent === undefined) return buildId;
      return {
        build_id: buildId,
        ...(progress_at !== undefined && { progress_at }),
        ...(progress_percent !== undefined && { progress_percent }),
      };
    });
    const checks = [...checkers.keys()].filter((buildId) => !keepers.has(buildId));
    return [...builds, ...checks].slice(0, MOST_NAMED);
  };

  async function ask(): Promise<'fine' | 'quiet' | { retryAfter: number }> {
    const nonce = randomBytes(16).toString('hex');
    const controller = new AbortController();
    const stop = () => controller.abort();
    ending.signal.addEventListener('abort', stop, { once: true });
    const offered = readOffer();
    const { versions: known, ...names } = offered;
    const { coders, wrapped = [], missing } = knows('versions') ? names : onlyBuiltIn(names);
    // A program missing for builds is missing for checks too, and checks need no coder.
    const slots = lacking ? 0 : freeSlots();
    asking = { controller, slots, offered: JSON.stringify(offered) };
    const request: WorkRequest = {
      nonce,
      slots,
      coders: knows('versions') ? coders.map((name) => ({ name, version: known[name] ?? null })) : coders,
      ...(config.runtime === 'custom' && knows('progress') && { wrapped }),
      ...(missing.length > 0 && { missing }),
      running: nameRunning(),
      wait_seconds: LONGEST_WAIT_SECONDS,
    };
    const answer = await client.askForWork(JSON.stringify(request), LONGEST_WAIT_SECONDS, controller.signal);
    ending.signal.removeEventListener('abort', stop);
    asking = undefined;
    if (controller.signal.aborted) return 'fine';
    if (answer.status === 422) {
      dialect = Math.max(0, dialect - 1);
      dialectUntil = performance.now() + PLAIN_MS;
    }
    if (answer.status !== 200) return { retryAfter: answer.retryAfter };
    if (!isProof(answer.proof, key, nonce + answer.body)) {
      console.error('An answer about work did not come from the service');
      return { retryAfter: 0 };
    }
    const orders = parseOrders(answer.body);
    if (!orders) return { retryAfter: 0 };
    const changes = orders.filter(follow).length;
    return orders.length > 0 && changes === 0 ? 'quiet' : 'fine';
  }

  let lacking: string | undefined = 'not looked yet';
  function readOffer(): OfferedCoders & { versions: Record<string, string | null> } {
    const before = lacking;
    if (lacking) lacking = findMissingProgram(probeIsolation(config.isolation));
    if (lacking && lacking !== before) console.error(`This desk builds nothing: ${lacking} is missing`);
    const offered = withoutLoggedOut(offerCoders(files, config, lacking), files, config, new Date());
    return { ...offered, versions: readVersions(files, config, offered.coders, versions) };
  }

  async function askForever(): Promise<void> {
    const backoff = createBackoff();
    while (!ending.signal.aborted) {
      const outcome = await ask().catch((error: Error) => {
        // For example a full disk, which may have space for the next order.
        console.error(`An order could not be taken: ${error.message}`);
        return { retryAfter: 0 };
      });
      if (typeof outcome === 'object') await backoff.pause(ending.signal, outcome.retryAfter);
      else backoff.reset();
      // The service repeats an order in every response until its build has finished.
      if (outcome === 'quiet') await pause(NOTHING_NEW_MS, ending.signal);
    }
  }

  const tidy = () =>
    forgetOldBuilds(files, new Date(), building() > 0).catch((error: Error) => console.error(error.message));

  return {
    /** Resume builds that ran when the last sidecar stopped. */
    start(): void {
      for (const folder of listBuildFolders(files)) {
        if (folder.done()) {
          // The last sidecar may have stopped before its cleanup.
          folder.clear();
          continue;
        }
        const uid = folder.uid();
        // Another desk's build may have this user id by now, and ending this build would kill its processes.
        if (uid !== null && !renewUid(uid, folder.spool)) folder.keepUid(reserveUid(folder.spool));
        if (folder.claim()) keep(folder);
        else void retire(folder).catch((error: Error) => console.error(error.message));
      }
      for (const folder of listCheckFolders(files)) {
        const uid = folder.uid();
        if (uid !== null && !renewUid(uid, folder.spool)) folder.keepUid(reserveCheckUid(folder.spool));
        if (folder.claim()) check(folder);
        else folder.drop();
      }
      void askForever();
      void tidy();
      timers.push(
        setInterval(() => void tidy(), TIDY_MS),
        setInterval(askWithNewCoders, CODERS_MS),
      );
    },

    /** Stops claiming and shipping; running builds continue. */
    stop(): void {
      for (const timer of timers) clearInterval(timer);
      ending.abort();
    },

    isBuilding: (): boolean => building() > 0,
  };
}

/** Read on every use, so that the owner can change it. */
function readSlots(files: DeskFiles): number {
  const slots = Number.parseInt(readIfThere(files.slots) ?? '1', 10);
  return Number.isInteger(slots) && slots >= 0 ? Math.min(slots, MOST_SLOTS) : 1;
}

const KEPT_MS = 7 * 24 * 60 * 60_000;

/** Refused or abandoned commits may be the only copy of the work. */
const isHome = ({ how, commits }: Done): boolean =>
  commits === 'received' || (how === 'finished' && commits === 'none');

/**
 * Removes checkouts seven days after the service received everything. Keeps every folder that is not marked
 * as done, however old.
 */
async function forgetOldBuilds(files: DeskFiles, now: Date, isBuilding: boolean): Promise<void> {
  for (const folder of listBuildFolders(files)) {
    const done = folder.done();
    if (!done || !isHome(done) || !(now.getTime() - Date.parse(done.at) > KEPT_MS)) continue;
    try {
      folder.drop();
    } catch (error) {
      // One failed removal must not stop the others.
      console.error((error as Error).message);
    }
  }
  if (!isBuilding) await tidyCaches(files);
}

const PATIENCE_MS = 20_000;

/** Ends every build before the desk is uninstalled. */
export async function stopBuilds(files: DeskFiles): Promise<void> {
  const builds = listBuildFolders(files).filter((folder) => !folder.done());
  await endBuilds([...builds, ...listCheckFolders(files)]);
  leaveLedger(files.work);
  leaveLedger(files.checkWork);
}

async function endBuilds(folders: BuildFolder[]): Promise<void> {
  for (const folder of folders) {
    folder.wantCancel();
    const runner = folder.runner();
    if (runner && folder.runnerLives()) process.kill(runner.pid, 'SIGTERM');
  }
  const deadline = performance.now() + PATIENCE_MS;
  while (folders.some((folder) => folder.runnerLives()) && performance.now() < deadline) await wait(100);
  for (const folder of folders) {
    const runner = folder.runner();
    if (runner && folder.runnerLives()) process.kill(runner.pid, 'SIGKILL');
    if (runner) await endTree({ uid: folder.uid(), buildId: folder.buildId });
  }
}
