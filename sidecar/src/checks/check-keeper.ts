import { existsSync } from 'node:fs';
import { findCached } from '../checkout/cache.js';
import type { DeskFiles } from '../desk-files.js';
import { type BuildClient, errorOf } from '../work/build-client.js';
import { createRunnerStart } from '../work/runner-start.js';
import { createLogShipper, deliver, isAccepted, judgeRefusal, pause, type Shipped } from '../work/shipper.js';
import type { CheckFolder } from './check-protocol.js';
import { type CheckState, parseStartedChecks, type StartedChecks } from './check-protocol.js';

interface KeeperOptions {
  files: DeskFiles;
  folder: CheckFolder;
  client: BuildClient;
  program: string;
  signal: AbortSignal;
  takeUid(folder: CheckFolder): number | null;
}

const LOOK_MS = 200;
/**
 * Names that are also routes of the protocol: a check with one of them is reported only in the final report.
 */
const NOT_BY_NAME = ['start', 'finish'];

/** Takes one check run from its current state to its end and deletes its folder afterward. */
export function keepChecks({ files, folder, client, program, signal, takeUid }: KeeperOptions) {
  const line = client.aboutChecks(folder.buildId, folder.claim() ?? '', signal);
  const runner = createRunnerStart({ folder, program, command: 'run-checks', signal });
  const told = new Map<string, CheckState['status']>();

  async function start(): Promise<StartedChecks | Shipped> {
    const known = folder.startedChecks();
    if (known) return known;
    const answer = await deliver(line.start, signal);
    if (!answer) return 'stopped';
    const started = answer.status === 200 ? parseStartedChecks(answer.body, folder.buildId) : undefined;
    if (!started) {
      console.error(`The start of the checks of ${folder.buildId} was answered with ${answer.status}`);
      return 'lost';
    }
    folder.keepStartedChecks(started);
    return started;
  }

  async function fetchHead({ head_sha }: StartedChecks): Promise<Shipped> {
    if (existsSync(folder.baseBundle) || folder.cachedBase()) return 'ok';
    const cached = await findCached(files, head_sha);
    if (cached) {
      folder.keepCachedBase(cached);
      return 'ok';
    }
    const answer = await deliver(() => line.fetchHead(folder.baseBundle), signal);
    if (!answer) return 'stopped';
    return answer.status === 200 ? 'ok' : 'lost';
  }

  async function shipLogs(): Promise<Shipped> {
    for (const [nth, { name }] of (folder.startedChecks()?.checks ?? []).entries()) {
      const sendLog = (seq: number, text: string) => line.sendLog(name, seq, text);
      const shipped = await createLogShipper({ log: folder.logOf(nth), sendLog, signal })();
      if (shipped !== 'ok') return shipped;
    }
    return 'ok';
  }

  async function shipStates(): Promise<Shipped> {
    for (const { name, status, exit_code, seconds } of folder.states()) {
      if (status === 'pending' || told.get(name) === status || NOT_BY_NAME.includes(name)) continue;
      const answer = await deliver(() => line.report(name, { status, exit_code, seconds }), signal);
      if (!answer) return 'stopped';
      if (answer.status === 409 || answer.status === 404) return judgeRefusal(answer);
      told.set(name, status);
    }
    return 'ok';
  }

  async function shipReport(): Promise<Shipped> {
    const answer = await deliver(() => line.finish(folder.report()!), signal);
    if (!answer) return 'stopped';
    if (!isAccepted(answer)) console.error(`The checks of ${folder.buildId}: ${errorOf(answer).message}`);
    return isAccepted(answer) ? 'ok' : 'lost';
  }

  /**
   * Ships logs while the runner writes them. A runner that died is not replaced, because the service repeats
   * the checks.
   */
  async function follow(): Promise<Shipped> {
    while (!signal.aborted) {
      // Read before shipping, so that this round or an earlier one includes everything written before the
      // report.
      const lives = folder.runnerLives();
      const report = folder.report();
      for (const ship of [shipStates, shipLogs]) {
        const shipped = await ship();
        if (shipped !== 'ok') return shipped === 'stopped' ? shipped : 'lost';
      }
      if (report) return shipReport();
      if (!lives) return 'lost';
      await pause(LOOK_MS, signal);
    }
    return 'stopped';
  }

  async function run(): Promise<Shipped> {
    if (!folder.report() && !folder.runner()) {
      const started = await start();
      if (typeof started === 'string') return started;
      const fetched = await fetchHead(started);
      if (fetched !== 'ok') return fetched;
      if (folder.cancelWanted()) return 'lost';
      await runner.start(
        () => takeUid(folder),
        () => folder.report() !== undefined,
      );
      if (signal.aborted) return 'stopped';
    }
    return follow();
  }

  function cancel(): void {
    if (folder.cancelWanted()) return;
    folder.wantCancel();
    const running = folder.runner();
    if (running && folder.runnerLives()) process.kill(running.pid, 'SIGTERM');
  }

  return {
    buildId: folder.buildId,
    cancel,
    cancelWanted: folder.cancelWanted,
    holdsSlot: (): boolean => folder.report() === undefined && existsSync(folder.spool),

    /** Resolves when the work is finished or the sidecar stops. */
    async see(endRest: (folder: CheckFolder) => Promise<void>): Promise<void> {
      const shipped = await run();
      if (shipped === 'stopped' || signal.aborted) return;
      await endRest(folder);
      folder.drop();
    },
  };
}

export type CheckKeeper = ReturnType<typeof keepChecks>;
