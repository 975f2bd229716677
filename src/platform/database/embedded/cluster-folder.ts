import { createHash, randomUUID } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { canEnter, chooseServerUser, type ServerUser } from './server-user.js';
import { openSharedFolder } from './shared-folder.js';
import { LONGEST_SOCKET_PATH } from './socket-path.js';

/** Where one embedded server keeps its things. */
export interface ClusterFolder {
  user: ServerUser | undefined;
  root: string;
  data: string;
  sockets: string;
  log: string;
}

const POINTER = 'postgres.location';
export const SOCKET_FILE = '.s.PGSQL.5432';

/** Makes or finds the server's folder in `dataDir`, or, where the server's account cannot get in, the one that a pointer names. */
export async function openClusterFolder(dataDir: string): Promise<ClusterFolder> {
  await mkdir(dataDir, { recursive: true });
  const home = await realpath(dataDir);
  const root = (await readPointer(home)) ?? (await chooseRoot(home));
  const data = join(root, 'data');
  const user = chooseServerUser(data);
  await openFolder(root, user);
  const sockets = await openSocketFolder(root, user);
  return { user, root, data, sockets, log: join(root, 'server.log') };
}

/** Whether a database was ever made there; looking makes none. */
export async function hasCluster(dataDir: string): Promise<boolean> {
  const root = (await readPointer(dataDir)) ?? join(dataDir, 'postgres');
  return (await lstat(join(root, 'data')).catch(() => undefined)) !== undefined;
}

async function chooseRoot(home: string): Promise<string> {
  const inside = join(home, 'postgres');
  const user = chooseServerUser(join(inside, 'data'));
  if (canEnter(home, user)) return inside;
  if (await lstat(join(inside, 'data')).catch(() => undefined)) {
    throw new Error(
      `The database in ${inside} cannot be entered by the account that serves it; open the folders above it (chmod o+x).`,
    );
  }
  const outside = join(await openSharedFolder(), `data-${randomUUID()}`);
  await writeFile(join(home, POINTER), `${outside}\n`, { flush: true });
  return outside;
}

async function readPointer(home: string): Promise<string | undefined> {
  const text = await readFile(join(home, POINTER), 'utf8').catch(() => undefined);
  const target = text?.trim();
  return target ? resolve(home, target) : undefined;
}

async function openSocketFolder(root: string, user: ServerUser | undefined): Promise<string> {
  const inside = join(root, 'run');
  const fits = join(inside, SOCKET_FILE).length <= LONGEST_SOCKET_PATH;
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const folder = fits ? inside : join('/tmp', `guildhall-${name}`);
  await openFolder(folder, user);
  return folder;
}

/** Only the server's account and this program may look inside. */
async function openFolder(folder: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  const owner = user?.uid ?? process.getuid?.();
  const trusted = stats.isDirectory() && (stats.uid === owner || stats.uid === process.getuid?.());
  if (!trusted) throw new Error(`${folder} belongs to somebody else`);
  if (user) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o700);
}
