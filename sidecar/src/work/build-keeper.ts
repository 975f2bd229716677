import { existsSync, watch } from 'node:fs';
import { findCached } from '../checkout/cache.js';
import type { DeskFiles } from '../desk-files.js';
import type { BuildFolder } from '../spool/build-folder.js';
import { type BuildClient, errorOf } from './build-client.js';
import { parseStarted, type StartedBuild } from './build-protocol.js';
import { createRunnerStart, MOST_RUNNERS } from './runner-start.js';
import { createMeter, createShipper, deliver, pause, type Shipped } from './shipper.js';

interface KeeperOptions {
  files: DeskFiles;
  folder: BuildFolder;
  client: BuildClient;
  /** Path of the sidecar, for starting runners. */
  program: string;
  /** Aborted when the sidecar stops; the build continues without it. */
  signal: AbortSignal;
  /** Reserves a user for the build; null for the sidecar's own user. */
  takeUid(folder: BuildFolder): number | null;
}

const LOOK_MS = 500;

export type BuildKeeper = ReturnType<typeof keepBuild>;

/** Takes one build from its current state to its end. Another process can resume it at any point. */
export function keepBuild(options: KeeperOptions) {
  const { files, folder, client, signal } = options;
  const line = client.about(folder.buildId, folder.claim() ?? '', signal);
  const shipper = createShipper({ line, folder, signal });
  const meter = createMeter({ line, folder });
  const runner = createRunnerStart({ folder, program: options.program, command: 'run-build', signal });

  /** Nothing may run before the service answered, and the answer counts only once it is on disk. */
  async function start(): Promise<StartedBuild | Shipped> {
    const known = folder.started();
    if (known) return known;
    const answer = await deliver(line.start, signal);
    if (!answer) return 'stopped';
    if (answer.status !== 200) {
      console.error(`The start of ${folder.buildId} was answered with ${answer.status}`);
      return 'lost';
    }
    const started = parseStarted(answer.body, folder.buildId);
    if (!started) {
      folder.keepFinish({
        outcome: 'failed',
        reason: 'The desk does not understand what the service wants built',
      });
      return 'closed';
    }
    folder.keepStarted(started);
    return started;
  }

  async function fetchBase(started: StartedBuild): Promise<Shipped> {
    if (existsSync(folder.baseBundle) || folder.cachedBase()) return 'ok';
    const cached = await findCached(files, started.base_sha);
    if (cached) {
      folder.keepCachedBase(cached);
      return 'ok';
    }
    const answer = await deliver(() => line.fetchBase(folder.baseBundle), signal);
    if (!answer) return 'stopped';
    if (answer.status === 200) return 'ok';
    if (errorOf(answer).error === 'claim_lost') return 'lost';
    folder.keepFinish({
      outcome: 'failed',
      reason: `The service did not hand out the base (${answer.status})`,
    });
    return 'closed';
  }

  const isOver = (): boolean => folder.finish() !== undefined;

  async function startRunner(): Promise<void> {
    await runner.start(() => options.takeUid(folder), isOver);
    if (!signal.aborted && !folder.runner() && !folder.finish())
      folder.keepFinish({ outcome: 'failed', reason: 'The desk could not start a process for this build' });
  }

  async function replaceDeadRunner(): Promise<void> {
    if (folder.countSalvage() > MOST_RUNNERS) {
      folder.keepFinish({
        outcome: 'failed',
        reason: 'The build was cut off on its desk, and what it left could not be saved',
      });
      return;
    }
    await runner.replace(isOver);
  }

  async function follow(): Promise<Shipped> {
    const changes = watchFolder(folder.log, signal);
    let open = true;
    try {
      while (!signal.aborted) {
        // Read before shipping, so that this round or an earlier one includes everything written before the
        // finish.
        const report = folder.finish();
        if (!report) meter.look();
        if (open) {
          const shipped = await shipper.shipLog();
          if (shipped === 'lost' || shipped === 'stopped') return shipped;
          if (shipped === 'closed') {
            open = false;
            cancel();
          }
        }
        if (report) return await bringHome();
        if (!folder.runnerLives() && !folder.finish()) await replaceDeadRunner();
        else await changes.next(LOOK_MS);
      }
      return 'stopped';
    } finally {
      changes.end();
    }
  }

  async function bringHome(): Promise<Shipped> {
    const shipped = await shipper.shipCommits();
    if (shipped !== 'ok') return shipped;
    return shipper.shipFinish(folder.finish()!);
  }

  async function run(): Promise<Shipped> {
    if (!folder.finish() && !folder.runner()) {
      const started = await start();
      if (started === 'lost' || started === 'stopped') return started;
      if (started !== 'closed' && !folder.cancelWanted()) {
        const fetched = await fetchBase(started as StartedBuild);
        if (fetched === 'lost' || fetched === 'stopped') return fetched;
      }
      if (folder.cancelWanted() && !folder.finish()) folder.keepFinish(folder.wantedEnd());
      if (!folder.finish()) await startRunner();
    }
    return follow();
  }

  function cancel(reason?: string): void {
    if (folder.cancelWanted()) return;
    folder.wantCancel(reason);
    const running = folder.runner();
    if (running && folder.runnerLives()) process.kill(running.pid, 'SIGTERM');
  }

  /** The service no longer expects this build: end it and keep its work on the desk. */
  async function abandon(): Promise<void> {
    const ran = folder.runner() !== undefined;
    cancel();
    while (!signal.aborted && folder.runnerLives()) await pause(LOOK_MS, signal);
    if (signal.aborted) return;
    if (ran) folder.close({ at: new Date().toISOString(), how: 'abandoned', commits: 'none' });
    else folder.drop();
  }

  return {
    buildId: folder.buildId,
    /** With a reason, the service stopped the build and keeps its result. */
    cancel,
    progressAt: folder.progressAt,
    percent: folder.percent,
    cancelWanted: folder.cancelWanted,
    /** A build that only waits to be shipped does not take a slot. */
    holdsSlot: (): boolean =>
      folder.done() === undefined && folder.finish() === undefined && existsSync(folder.spool),

    /** Resolves when the work is finished or the sidecar stops. */
    async see(): Promise<void> {
      const shipped = await run();
      if (shipped === 'stopped' || signal.aborted) return;
      if (shipped === 'lost') return abandon();
      folder.close({
        at: new Date().toISOString(),
        how: 'finished',
        commits: folder.commitsFate() ?? 'none',
      });
    },
  };
}

/** Resolves after a write; a regular check covers changes that the watcher misses. */
function watchFolder(path: string, signal: AbortSignal) {
  let notice = () => {};
  let changed = false;
  const watcher = watch(path, () => {
    changed = true;
    notice();
  });
  watcher.on('error', () => {});
  return {
    async next(limit: number): Promise<void> {
      if (!changed) {
        const woken = new AbortController();
        notice = () => woken.abort();
        const stop = () => woken.abort();
        signal.addEventListener('abort', stop, { once: true });
        await pause(limit, woken.signal);
        signal.removeEventListener('abort', stop);
      }
      changed = false;
    },
    end: (): void => watcher.close(),
  };
}
