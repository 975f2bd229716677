import { openSetupCache, type SetupSite } from '../checkout/setup-cache.js';
import { describeExit } from '../coders/coder.js';
import { makeSetupEnvironment } from '../coders/environment.js';
import type { DeskFiles } from '../desk-files.js';
import type { LogWriter } from '../spool/log-writer.js';
import type { FinishReport } from '../work/build-protocol.js';
import { runCoder } from './coder-run.js';

interface SetupRun extends SetupSite {
  files: DeskFiles;
  log: LogWriter;
}

const LONGEST_HEADING = 200;

/** Prepares the checkout for the coder. Returns the final report when that fails. */
export async function runSetup(run: SetupRun): Promise<FinishReport | undefined> {
  const { files, started, folder, cell, canceled, log } = run;
  const { setup } = started;
  if (!setup) return undefined;
  folder.beginSetup();
  log.write(`== setup: ${setup.command.trim().replace(/\s+/g, ' ').slice(0, LONGEST_HEADING)}\n`);
  // A broken cache must not fail the build.
  const cache = await openSetupCache(run).catch((error: Error) => void console.error(error));
  const { isTaken, fault: cacheFault } = (await cache?.take()) ?? { isTaken: false };
  if (isTaken) {
    log.write('== setup: taken from the cache\n');
    folder.endSetup();
    return undefined;
  }
  if (canceled.aborted) return folder.wantedEnd();
  if (cacheFault !== undefined) log.write(`== setup: what was kept is of no use: ${cacheFault}\n`);
  const began = performance.now();
  const minutes = Math.min(setup.minutes, started.wall_minutes);
  const { exit, why } = await runCoder({
    cell,
    coder: {
      command: ['/bin/sh', '-c', 'exec sh -c "$0" 2>&1', setup.command],
      environment: makeSetupEnvironment({
        files,
        buildId: folder.buildId,
        home: folder.home,
        tmp: folder.tmp,
        asked: started.setup_env,
      }),
    },
    folder: folder.checkout,
    buildId: folder.buildId,
    wallMinutes: minutes,
    canceled,
    log,
  });
  if (why === 'canceled') return folder.wantedEnd();
  if (why === 'timed_out')
    return { outcome: 'timed_out', reason: `The setup did not end within ${minutes} minutes` };
  if (exit.code !== 0) return { outcome: 'failed', reason: `The setup failed ${describeExit(exit)}` };
  const seconds = Math.round((performance.now() - began) / 1000);
  log.write(`== setup: done in ${seconds} s\n`);
  const keepFault = cache ? await cache.keep() : 'the lock files could not be read';
  if (canceled.aborted) return folder.wantedEnd();
  log.write(
    keepFault === undefined
      ? '== setup: kept in the cache\n'
      : `== setup: not kept in the cache: ${keepFault}\n`,
  );
  folder.endSetup();
  return undefined;
}
