import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { type Stats, statSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** Linux allows 107 characters, macOS 103. */
export const LONGEST_SOCKET_PATH = 103;

/** The account of the database server, or undefined when it is the account of this process. */
export interface ServerUser {
  uid: number;
  gid: number;
}

const NOBODY: ServerUser = { uid: 65534, gid: 65534 };

export const runsAsRoot = (): boolean => process.getuid?.() === 0;

/** PostgreSQL refuses to run as root. Existing data keeps its owner. */
export function chooseServerUser(dataFolder: string): ServerUser | undefined {
  if (!runsAsRoot()) return undefined;
  const present = statSync(dataFolder, { throwIfNoEntry: false });
  return present && present.uid !== 0 ? { uid: present.uid, gid: present.gid } : NOBODY;
}

export function canEnter(folder: string, user: ServerUser | undefined): boolean {
  if (!user) return true;
  for (let path = folder; ; path = dirname(path)) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && !hasEntryBit(stats, user)) return false;
    if (path === dirname(path)) return true;
  }
}

function hasEntryBit(stats: Stats, user: ServerUser): boolean {
  if (stats.uid === user.uid) return (stats.mode & 0o100) !== 0;
  if (stats.gid === user.gid) return (stats.mode & 0o010) !== 0;
  return (stats.mode & 0o001) !== 0;
}

interface CommandResult {
  status: number | null;
  output: string;
}

/** Runs a server program under its account, without this process's environment. */
export function runAsServer(
  command: string,
  args: string[],
  { user, folder }: { user: ServerUser | undefined; folder: string },
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...user,
      cwd: folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (part: string) => {
      output += part;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output: output.trim() }));
  });
}

const CANDIDATES = ['/var/lib/guildhall', '/var/tmp/guildhall', '/tmp/guildhall'];

/**
 * Returns a folder that every account can enter, for files that the database server needs when they are in a
 * closed home folder.
 */
export async function openSharedFolder(): Promise<string> {
  for (const folder of CANDIDATES) {
    if (await claimFolder(folder)) return folder;
  }
  throw new Error(
    `The database server runs as nobody and needs a folder it can enter; none of ${CANDIDATES.join(', ')} can be made. ` +
      'Set DATA_DIR to a folder outside of closed home folders, or set DATABASE_URL.',
  );
}

/** Anyone can create a folder in /tmp, so only a folder owned by root is trusted. */
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

export interface ClusterFolder {
  user: ServerUser | undefined;
  root: string;
  data: string;
  sockets: string;
  log: string;
}

const POINTER = 'postgres.location';
const SOCKET_FILE = '.s.PGSQL.5432';

/**
 * Opens the server's folder in `dataDir`, or the folder that a pointer file names when the server's account
 * cannot enter `dataDir`.
 */
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

/** Whether a database exists. Does not create one. */
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

/** Opens a folder that only the server's account and this process can access. */
async function openFolder(folder: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  const owner = user?.uid ?? process.getuid?.();
  const trusted = stats.isDirectory() && (stats.uid === owner || stats.uid === process.getuid?.());
  if (!trusted) throw new Error(`${folder} belongs to another user`);
  if (user) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o700);
}

/** `cp` copies 1,000 small files ten times faster than Node. */
const OPEN = 'cp -R "$1" "$2" && chmod -R a+rX "$2"';
const CLOSED = 'umask 077 && cp -R "$1" "$2"';

export const layOpen = (from: string, to: string): Promise<void> => runShell(OPEN, [from, to]);

/** Makes a copy that only its owner can read. */
export const takeCopy = (from: string, to: string, owner: ServerUser | undefined): Promise<void> =>
  owner
    ? runShell(`${CLOSED} && chown -R "$3" "$2"`, [from, to, `${owner.uid}:${owner.gid}`])
    : runShell(CLOSED, [from, to]);

function runShell(script: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', script, 'sh', ...args], { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (status) =>
      status === 0 ? resolve() : reject(new Error(`A data folder could not be copied (${status})`)),
    );
  });
}
