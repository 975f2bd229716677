import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { BuildFolder } from '../spool/build-folder.js';
import { pause } from './shipper.js';

interface RunnerStartOptions {
  folder: Pick<BuildFolder, 'buildId' | 'diary' | 'runner' | 'keepUid'>;
  /** Path of the sidecar, for starting runners. */
  program: string;
  command: 'run-build' | 'run-checks';
  signal: AbortSignal;
}

export const MOST_RUNNERS = 3;
const RUNNER_START_MS = 15_000;

/** Starts runners as separate processes, which continue when the sidecar stops. */
export function createRunnerStart({ folder, program, command, signal }: RunnerStartOptions) {
  function spawnRunner(...more: string[]): void {
    const diary = openSync(folder.diary, 'a', 0o600);
    const { GUILDHALL_BUILD_ID: _none, ...environment } = process.env;
    const child = spawn(process.execPath, [program, command, folder.buildId, ...more], {
      cwd: '/',
      env: environment,
      stdio: ['ignore', diary, diary],
      detached: true,
    });
    child.on('error', (error) =>
      console.error(`The runner of ${folder.buildId} could not be started: ${error.message}`),
    );
    child.unref();
    closeSync(diary);
  }

  async function awaitChange(isThere: () => boolean): Promise<void> {
    const deadline = performance.now() + RUNNER_START_MS;
    while (!signal.aborted && !isThere() && performance.now() < deadline) await pause(20, signal);
  }

  return {
    /** A runner that died before its first step did nothing, so start another one. */
    async start(takeUid: () => number | null, isOver: () => boolean): Promise<void> {
      for (let count = 0; count < MOST_RUNNERS && !folder.runner() && !isOver(); count += 1) {
        if (count === 0) folder.keepUid(takeUid());
        spawnRunner();
        await awaitChange(() => folder.runner() !== undefined || isOver());
        if (signal.aborted) return;
      }
    },

    async replace(isOver: () => boolean): Promise<void> {
      const before = JSON.stringify(folder.runner());
      spawnRunner('--salvage');
      await awaitChange(() => JSON.stringify(folder.runner()) !== before || isOver());
    },
  };
}
