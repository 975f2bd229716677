import { tidyCaches } from '../checkout/cache.js';
import type { DeskFiles } from '../desk-files.js';
import { type Done, listBuildFolders } from '../spool/build-folder.js';

const KEPT_MS = 7 * 24 * 60 * 60_000;

/** What was refused, or was left when its claim was lost, may be the only copy of somebody's work. */
const isHome = ({ how, commits }: Done): boolean =>
  commits === 'received' || (how === 'finished' && commits === 'none');

/**
 * Removes the checkouts of builds that the service has had everything of for seven days. Only what says so of itself
 * goes: a folder without that word stays, whatever its age.
 */
export async function forgetOldBuilds(files: DeskFiles, now: Date, isBuilding: boolean): Promise<void> {
  for (const folder of listBuildFolders(files)) {
    const done = folder.done();
    if (!done || !isHome(done) || !(now.getTime() - Date.parse(done.at) > KEPT_MS)) continue;
    try {
      folder.drop();
    } catch (error) {
      // One that does not go must not keep the others.
      console.error((error as Error).message);
    }
  }
  if (!isBuilding) await tidyCaches(files);
}
