import { watch } from 'node:fs';
import type { BuildFolder } from '../spool/build-folder.js';

/** By a signal at once, and by the file beside it should the signal have been missed. */
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
