import { join } from 'node:path';
import { markOf } from '../builds.js';
import { lockArea, makeArea, makeRepository } from '../checkout/checkout.js';
import { fillCheckout } from '../checkout/collect.js';
import { makeSetupEnvironment, namedSecrets, secretsOfEnvironment } from '../coders/environment.js';
import { type DeskConfig, type DeskFiles, remove, writeWhole } from '../desk-files.js';
import { makeCell } from '../runner/cell.js';
import { type CoderEnd, runCoder } from '../runner/coder-run.js';
import type { Cell } from '../runner/isolation.js';
import { endTree, identify } from '../runner/process-tree.js';
import { watchForCancel } from '../runner/runner.js';
import { createLogWriter, type LogWriter } from '../spool/log-writer.js';
import { createSecrets, type Secrets } from '../spool/secret-filter.js';
import type { CheckState, ChecksReport, StartedChecks } from './check-protocol.js';
import { type CheckFolder, checkFiles, checkFolder } from './check-protocol.js';

interface CheckRunnerOptions {
  files: DeskFiles;
  config: DeskConfig;
  buildId: string;
}

interface Bench {
  files: DeskFiles;
  folder: CheckFolder;
  started: StartedChecks;
  cell: Cell;
  secrets: Secrets;
  canceled: AbortSignal;
}

/** More than the service keeps of each log. */
const MOST_LOG_BYTES = 8 * 1024 * 1024;
const TAIL_CHARACTERS = 16_000;
/** The exit code that a shell reports for a process ended by a signal. */
const BY_SIGNAL = 128;

/**
 * Runs the checks of one build in their own process, in a clean checkout and as a separate user, away from
 * the coder's files. An interrupted run leaves no report; the service repeats it.
 */
export async function runCheckFolder({ files, config, buildId }: CheckRunnerOptions): Promise<void> {
  process.umask(0o022);
  const folder = checkFolder(files, buildId);
  const started = folder.startedChecks();
  if (!started || folder.report()) return;
  const self = identify(process.pid);
  if (!folder.claimRunner(self)) return;
  const marker = join(files.builds, `check-${buildId}`);
  writeWhole(marker, markOf(self));
  const stopped = watchForCancel(folder);
  try {
    const own = checkFiles(files);
    const cell = makeCell({ files: own, folder, executable: '', wanted: config.isolation });
    const secrets = createSecrets([
      { name: 'the token of the desk', value: config.pat },
      ...secretsOfEnvironment(environmentOf(own, folder, {})),
      ...namedSecrets(started.secret_names, started.env, started.setup_env),
    ]);
    const bench = { files: own, folder, started, cell, secrets, canceled: stopped.signal };
    await checkOut(bench);
    const report = await runChecks(bench);
    await endTree({ uid: cell.uid, buildId });
    lockArea(folder);
    if (report) folder.keepReport(secrets.maskAll(report));
  } finally {
    stopped.end();
    remove(marker);
  }
}

const environmentOf = (files: DeskFiles, folder: CheckFolder, asked: Record<string, string>) =>
  makeSetupEnvironment({ files, buildId: folder.buildId, home: folder.home, tmp: folder.tmp, asked });

/** Commits that a check makes are discarded. */
const NOBODY = { name: 'check', email: 'check@guildhall.invalid' };

async function checkOut({ files, folder, started, cell }: Bench): Promise<void> {
  if (!(await endTree({ uid: cell.uid, buildId: folder.buildId })))
    throw new Error('something that had this user before still runs');
  makeArea(files, folder, cell.uid);
  const wanted = {
    base_sha: started.head_sha,
    branch: 'guildhall/checked',
    coder: 'check',
    committer: NOBODY,
  };
  await makeRepository(files, folder, wanted, cell.uid);
  await fillCheckout(cell, folder);
}

/** Undefined when the run was canceled. */
async function runChecks(bench: Bench): Promise<ChecksReport | undefined> {
  const { folder, started, canceled } = bench;
  const states = started.checks.map(
    ({ name }): CheckState => ({
      name,
      status: 'pending',
      exit_code: null,
      seconds: null,
    }),
  );
  const setup = await runSetup(bench);
  if (canceled.aborted) return undefined;
  if (setup && setup.exit_code !== 0) {
    const checks = states.map((state): CheckState => ({ ...state, status: 'skipped' }));
    return { checks, setup };
  }
  for (const [nth, { command, minutes }] of started.checks.entries()) {
    states[nth] = { ...states[nth]!, status: 'running' };
    folder.keepStates(states);
    const log = createLogWriter({
      folder: folder.logOf(nth),
      secrets: bench.secrets,
      mostBytes: MOST_LOG_BYTES,
    });
    const { why, exitCode, seconds } = await runStep(bench, { command, minutes, env: started.env }, log);
    if (why === 'timed_out') log.write(`\n[The check did not end within ${minutes} minutes]\n`);
    log.close();
    if (why === 'canceled') return undefined;
    const status = why === 'timed_out' ? 'timed_out' : exitCode === 0 ? 'passed' : 'failed';
    states[nth] = { ...states[nth]!, status, exit_code: exitCode, seconds };
    folder.keepStates(states);
  }
  return { checks: states, ...(setup && { setup }) };
}

async function runSetup(bench: Bench): Promise<ChecksReport['setup']> {
  const { setup } = bench.started;
  if (!setup) return undefined;
  let tail = '';
  const log = {
    write: (text: string): void => {
      tail = (tail + text).slice(-TAIL_CHARACTERS);
    },
    close: (): void => {},
  };
  const { why, exitCode, seconds } = await runStep(
    bench,
    { ...setup, env: { ...bench.started.env, ...bench.started.setup_env } },
    log,
  );
  if (why === 'timed_out') log.write(`\n[The setup did not end within ${setup.minutes} minutes]\n`);
  return { exit_code: exitCode, seconds, log_tail: tail };
}

/** Each check has its own time limit, and its processes are ended before the next check. */
async function runStep(
  { files, folder, cell, canceled }: Bench,
  { command, minutes, env }: { command: string; minutes: number; env: Record<string, string> },
  log: LogWriter,
) {
  const began = performance.now();
  const { exit, why }: CoderEnd = await runCoder({
    cell,
    coder: {
      command: ['/bin/sh', '-c', 'exec sh -c "$0" 2>&1', command],
      environment: environmentOf(files, folder, env),
    },
    folder: folder.checkout,
    buildId: folder.buildId,
    wallMinutes: minutes,
    canceled,
    log,
  });
  const seconds = Math.round(performance.now() - began) / 1000;
  return { why, seconds, exitCode: why === 'itself' ? (exit.code ?? BY_SIGNAL) : null };
}
