import { setTimeout as pause } from 'node:timers/promises';
import { listCheckFolders } from '../checks/check-folder.js';
import type { DeskFiles } from '../desk-files.js';
import { endTree } from '../runner/process-tree.js';
import { leaveLedger } from '../runner/user-ledger.js';
import { type BuildFolder, listBuildFolders } from '../spool/build-folder.js';

const PATIENCE_MS = 20_000;

/** Ends every build of this desk, for a desk that is about to go. */
export async function stopBuilds(files: DeskFiles): Promise<void> {
  const builds = listBuildFolders(files).filter((folder) => !folder.done());
  await endBuilds([...builds, ...listCheckFolders(files)]);
  leaveLedger(files.work);
  leaveLedger(files.checkWork);
}

export async function endBuilds(folders: BuildFolder[]): Promise<void> {
  for (const folder of folders) {
    folder.wantCancel();
    const runner = folder.runner();
    if (runner && folder.runnerLives()) process.kill(runner.pid, 'SIGTERM');
  }
  const deadline = performance.now() + PATIENCE_MS;
  while (folders.some((folder) => folder.runnerLives()) && performance.now() < deadline) await pause(100);
  for (const folder of folders) {
    const runner = folder.runner();
    if (runner && folder.runnerLives()) process.kill(runner.pid, 'SIGKILL');
    if (runner) await endTree({ uid: folder.uid(), buildId: folder.buildId });
  }
}
