import { chmod, lstat, mkdir } from 'node:fs/promises';

const CANDIDATES = ['/var/lib/guildhall', '/var/tmp/guildhall', '/tmp/guildhall'];

/** A folder of root's that every account can enter, for what the database server must reach outside of a closed home folder. */
export async function openSharedFolder(): Promise<string> {
  for (const folder of CANDIDATES) {
    if (await claimFolder(folder)) return folder;
  }
  throw new Error(
    `The database server runs as nobody and needs a folder it can enter; none of ${CANDIDATES.join(', ')} can be made. ` +
      'Set DATA_DIR to a folder outside of closed home folders, or set DATABASE_URL.',
  );
}

/** Others may write to /tmp: a folder that somebody else put there is not ours to trust. */
async function claimFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { recursive: true });
    const stats = await lstat(folder);
    if (!stats.isDirectory() || stats.uid !== 0 || (stats.mode & 0o022) !== 0) return false;
    await chmod(folder, 0o755);
    return true;
  } catch {
    return false;
  }
}
