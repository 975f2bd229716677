import { chownSync, lstatSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { markOf } from '../builds.js';
import { lockArea, makeArea, makeRepository } from '../checkout/checkout.js';
import { CommitsHoldSecret, collectCommits, fillCheckout } from '../checkout/collect.js';
import { findCommitter } from '../checkout/git.js';
import { claudeMcpConfig } from '../coders/claude.js';
import { clipReason } from '../coders/coder.js';
import { findMeans, type Means } from '../coders/coders.js';
import { custom } from '../coders/custom.js';
import type { CoderSession, Verdict } from '../coders/driver.js';
import { makeEnvironment, namedSecrets, secretsOfEnvironment } from '../coders/environment.js';
import {
  forgetRefusedLogin,
  isLoginRefusal,
  lendLogin,
  noteRefusedLogin,
  readBorrowed,
  readLogin,
  returnLogin,
  secretsOfLogin,
} from '../coders/logins.js';
import { withProvider } from '../coders/models.js';
import { createTranscript } from '../coders/transcript.js';
import {
  type DeskConfig,
  type DeskFiles,
  isLackOfRoom,
  remove,
  removeTree,
  writeWhole,
} from '../desk-files.js';
import { type BuildFolder, buildFolder } from '../spool/build-folder.js';
import { createLogWriter, type LogWriter } from '../spool/log-writer.js';
import { createSecrets, type Secrets } from '../spool/secret-filter.js';
import type { Committer, FinishReport, StartedBuild } from '../work/build-protocol.js';
import { makeCell, placeExecutable } from './cell.js';
import { runCoder } from './coder-run.js';
import type { Cell } from './isolation.js';
import { endTree, identify } from './process-tree.js';
import { runSetup } from './setup-run.js';
import { type VitalSigns, watchSigns } from './vital-signs.js';

interface RunnerOptions {
  files: DeskFiles;
  config: DeskConfig;
  buildId: string;
  /** Takes over from a runner that died: ends its processes and saves its work. */
  salvage: boolean;
}

interface Bench {
  files: DeskFiles;
  config: DeskConfig;
  folder: BuildFolder;
  started: StartedBuild;
  cell: Cell;
  means: Means | undefined;
  environment: Record<string, string>;
  /** The owner's login; the coder gets a copy. */
  login: string | undefined;
  secrets: Secrets;
  log: LogWriter;
  canceled: AbortSignal;
  signs: VitalSigns;
  committer: Committer;
}

/** How a build ended, before the check whether it changed anything. */
type Ended = FinishReport & Pick<Verdict, 'unchanged'>;

const NO_ROOM_MS = 1_000;
const CUT_OFF = 'The build was cut off on its desk: the process that looked after it ended';

/**
 * Runs one build from start to end in its own process. It never contacts the service: it writes to the spool,
 * and the current sidecar ships that.
 */
export async function runBuildFolder({ files, config, buildId, salvage }: RunnerOptions): Promise<void> {
  process.umask(0o022);
  const folder = buildFolder(files, buildId);
  const started = folder.started();
  if (!started || folder.finish() || folder.done()) return;
  const self = identify(process.pid);
  if (salvage) folder.replaceRunner(self);
  else if (!folder.claimRunner(self)) return;
  const marker = join(files.builds, buildId);
  writeWhole(marker, markOf(self));
  const means = findMeans(files, config, started.coder);
  const environment = {
    ...means?.environment,
    ...makeEnvironment({
      files,
      buildId: folder.buildId,
      token: started.mcp.token,
      home: folder.home,
      tmp: folder.tmp,
      asked: started.env,
    }),
  };
  const login = means?.login === undefined ? undefined : readLogin(means.login, config.home);
  const known = [
    { name: 'the token of the desk', value: config.pat },
    ...secretsOfEnvironment(environment),
    ...namedSecrets(started.secret_names, started.env, started.setup_env),
    ...secretsOfLogin(login),
  ];
  let secrets = createSecrets(known);
  const log = createLogWriter({ folder: folder.log, secrets });
  const stopped = watchForCancel(folder);
  let signs: VitalSigns | undefined;
  try {
    if (!salvage) for (const note of started.notes ?? []) log.write(`[${note}]\n`);
    const cell = makeCell({ files, folder, executable: means?.executable ?? '', wanted: config.isolation });
    const canceled = stopped.signal;
    signs = watchSigns({ folder, tree: { uid: cell.uid, buildId } });
    const bench = {
      files,
      config,
      folder,
      started,
      cell,
      means,
      environment,
      login,
      secrets,
      log,
      canceled,
      signs,
      committer: findCommitter(files, config, started),
    };
    const report = salvage ? await reportCutOff(bench) : await build(bench);
    // A renewed login contains new tokens, which must be masked too.
    const borrowed =
      means?.login === undefined ? undefined : readBorrowed(means.login, folder.home, cell.uid);
    const renewed = secretsOfLogin(borrowed);
    secrets = createSecrets([...known, ...renewed]);
    const whole = secrets.maskAll(await saveWork({ ...bench, secrets }, report));
    await onceThereIsRoom(() => {
      log.close();
      folder.keepFinish(whole);
    });
  } catch (error) {
    console.error(error);
    const reason = clipReason(secrets.mask(`The desk failed: ${(error as Error).message}`));
    await onceThereIsRoom(() => {
      log.close();
      folder.keepFinish({ outcome: 'failed', reason });
    });
  } finally {
    stopped.end();
    signs?.end();
    remove(marker);
  }
}

/** Only this process knows the result, so retry instead of dropping it when the disk is full. */
async function onceThereIsRoom(write: () => void): Promise<void> {
  for (;;) {
    try {
      return write();
    } catch (error) {
      if (!isLackOfRoom(error)) throw error;
      await pause(NO_ROOM_MS);
    }
  }
}

async function build(bench: Bench): Promise<Ended> {
  const { files, folder, started, cell, canceled, means } = bench;
  if (!means) return { outcome: 'failed', reason: 'The coder is not installed on this desk' };
  try {
    if (!(await endTree({ uid: cell.uid, buildId: folder.buildId })))
      throw new Error('something that had this user before still runs');
    makeArea(files, folder, cell.uid);
    await makeRepository(files, folder, { ...started, committer: bench.committer }, cell.uid);
    await fillCheckout(cell, folder);
    folder.keepFilled();
  } catch (error) {
    return {
      outcome: 'failed',
      reason: clipReason(`The checkout could not be made: ${(error as Error).message}`),
    };
  }
  if (canceled.aborted) return folder.wantedEnd();
  const began = performance.now();
  const stopped = await runSetup(bench);
  if (stopped) return stopped;
  const spent = (performance.now() - began) / 60_000;
  return runTheCoder(bench, means, started.wall_minutes - spent);
}

async function runTheCoder(
  bench: Bench,
  { coder, executable, login }: Means,
  minutes: number,
): Promise<Ended> {
  const { files, folder, started, cell, log, canceled, secrets } = bench;
  const job = {
    started,
    executable: placeExecutable(cell, folder, executable),
    briefFile: join(folder.area, 'brief.md'),
    resultFile: join(folder.out, 'result.json'),
    usageFile: join(folder.out, 'usage.json'),
    mcpConfigFile: join(folder.area, 'mcp.json'),
    extensionFile: join(folder.area, 'guildhall-tools.mjs'),
    model: withProvider(files, started.settings.model),
    checkout: folder.checkout,
    home: folder.home,
    environment: bench.environment,
  };
  writeFileSync(job.briefFile, started.brief);
  writeFileSync(job.mcpConfigFile, claudeMcpConfig(started.mcp.url), { mode: 0o600 });
  if (cell.uid !== null) chownSync(job.mcpConfigFile, cell.uid, cell.uid);
  if (login !== undefined) lendLogin(login, bench.login, folder.home, cell.uid);

  const now = () => new Date();
  const transcript = createTranscript({
    write: log.write,
    secrets,
    now,
    onProgress: folder.keepPercent,
  });
  let session!: CoderSession;
  const launch = coder.command(job);
  for (const [path, content] of Object.entries(launch.files ?? {})) writeFileSync(path, content);
  const { exit, why } = await runCoder({
    cell,
    coder: launch,
    folder: folder.checkout,
    buildId: folder.buildId,
    wallMinutes: minutes,
    canceled,
    log,
    open(input, over) {
      session = coder.open({
        job,
        uid: cell.uid,
        secrets,
        now,
        input,
        emit(event) {
          transcript.take(event);
          if (event.type === 'end' || (event.type === 'state' && event.state === 'idle')) over();
        },
      });
      bench.signs.meter(() => session.usage());
      session.send(started.brief);
      return session;
    },
    noted: () => bench.signs.note(coder !== custom),
  });
  keepLogin(bench);
  const verdict = session.judge(exit);
  if (login !== undefined && bench.login !== undefined) noteLogin(bench.files, login, bench.login, verdict);
  const usage = verdict.usage ?? session.usage();
  const conversation = transcript.conversation();
  return applyEnd(
    why,
    { ...verdict, ...(usage && { usage }), ...(conversation.length > 0 && { conversation }) },
    bench,
  );
}

/** Health reports a refused login, so that the service knows when it works again. */
function noteLogin(files: DeskFiles, runtime: string, login: string, { outcome, reason }: Verdict): void {
  try {
    if (outcome === 'succeeded') forgetRefusedLogin(files, runtime);
    else if (isLoginRefusal(reason)) noteRefusedLogin(files, runtime, login);
  } catch (error) {
    console.error(error);
  }
}

/** Failing to return a login must not fail the build; the owner can sign in again. */
function keepLogin({ config, means, folder, cell, login }: Bench): void {
  const runtime = means?.login;
  if (runtime === undefined) return;
  try {
    returnLogin({
      runtime,
      ownerHome: config.home,
      lent: login,
      borrowed: readBorrowed(runtime, folder.home, cell.uid),
      now: new Date(),
    });
  } catch (error) {
    console.error(error);
  }
}

/** A build that was canceled or timed out did not succeed, even if the coder reported success. */
function applyEnd(
  why: 'itself' | 'canceled' | 'timed_out',
  verdict: Verdict,
  { started, folder }: Pick<Bench, 'started' | 'folder'>,
): Ended {
  if (why === 'itself') return verdict;
  const { usage, conversation } = verdict;
  const told = { ...(usage && { usage }), ...(conversation && { conversation }) };
  if (why === 'canceled') return { ...folder.wantedEnd(), ...told };
  return {
    outcome: 'timed_out',
    reason: `The time limit of ${started.wall_minutes} minutes was reached`,
    ...told,
  };
}

async function reportCutOff({ folder, cell, log }: Bench): Promise<FinishReport> {
  await endTree({ uid: cell.uid, buildId: folder.buildId });
  const usage = folder.usage();
  const used = usage && { usage };
  if (folder.cancelWanted()) return { ...folder.wantedEnd(), ...used };
  log.write(`[${CUT_OFF}]\n`);
  return { outcome: 'failed', reason: CUT_OFF, ...used };
}

/** Saves the coder's work after every outcome; a build whose work cannot be saved has failed. */
async function saveWork(
  { folder, started, cell, secrets, log, committer }: Bench,
  { unchanged, ...report }: Ended,
): Promise<FinishReport> {
  let complaint: string | undefined;
  // A filled checkout without a repository cannot be saved.
  if (
    !started.reads_only &&
    !folder.isInSetup() &&
    (folder.wasFilled() || isThere(join(folder.checkout, '.git')))
  ) {
    try {
      const changed = await collectCommits(cell, folder, started, secrets, committer);
      if (!changed && unchanged !== undefined) {
        complaint = unchanged;
        log.write(`[${complaint}]\n`);
      }
    } catch (error) {
      complaint = clipReason(`The commits could not be taken: ${(error as Error).message}`);
      log.write(`[${complaint}]\n`);
      // Refused commits exist only here, so they are kept longer than submitted ones.
      if (error instanceof CommitsHoldSecret) folder.keepCommitsFate('refused');
    }
  }
  const isOver = await endTree({ uid: cell.uid, buildId: folder.buildId });
  lockArea(folder);
  // Only after all processes ended, because a running one could replace the path that root deletes.
  if (isOver) for (const path of [folder.home, folder.tmp, join(folder.area, 'mcp.json')]) clearAway(path);
  return complaint && report.outcome === 'succeeded'
    ? { ...report, outcome: 'failed', reason: complaint }
    : report;
}

/** Checks the path itself and does not follow a link. */
const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** A leftover file costs disk space and must not fail the build. */
function clearAway(path: string): void {
  try {
    removeTree(path);
  } catch (error) {
    console.error(error);
  }
}

/** The signal cancels at once; the file covers a missed signal. */
export function watchForCancel(folder: Pick<BuildFolder, 'spool' | 'cancelWanted'>) {
  const controller = new AbortController();
  const look = () => {
    if (folder.cancelWanted()) controller.abort();
  };
  process.on('SIGTERM', look);
  const watcher = watch(folder.spool, look);
  watcher.on('error', () => {});
  const timer = setInterval(look, 1_000);
  look();
  return {
    signal: controller.signal,
    end(): void {
      process.off('SIGTERM', look);
      watcher.close();
      clearInterval(timer);
    },
  };
}
