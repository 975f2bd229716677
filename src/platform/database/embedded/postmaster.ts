import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ClusterFolder } from './cluster-folder.js';
import type { PostgresBinaries } from './embedded-binaries.js';
import { runAsServer } from './server-user.js';

const START_ATTEMPTS = 20;
const STILL_SHUTTING_DOWN = /shared memory block .* is still in use|lock file .* already exists/;

/** Starts the server and waits until it takes connections. */
export async function startPostmaster(binaries: PostgresBinaries, cluster: ClusterFolder): Promise<void> {
  const args = ['start', '-D', cluster.data, '-w', '-t', '60', '-l', cluster.log, '-s'];
  for (let attempt = 1; ; attempt += 1) {
    const logged = (await readLog(cluster)).length;
    const { status, output } = await runAsServer(binaries.pgCtl, args, { ...cluster, folder: cluster.root });
    if (status === 0) return;
    const reason = (await readLog(cluster)).slice(logged).trim() || output;
    // The workers of a server that was killed need a moment to notice.
    if (!STILL_SHUTTING_DOWN.test(reason) || attempt === START_ATTEMPTS) {
      throw new Error(`The embedded PostgreSQL did not start: ${reason}`);
    }
    await pause(250);
  }
}

/** Ends the server: politely, and when that takes too long as if the power had failed, which it survives. */
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

/** Ends what an earlier run that was killed left behind: a server that lives on, or the trace of one that died as well. */
export async function clearLeftovers(binaries: PostgresBinaries, cluster: ClusterFolder): Promise<boolean> {
  if (findPostmaster(cluster) !== undefined) {
    await stopPostmaster(binaries, cluster);
    return true;
  }
  await rm(join(cluster.data, 'postmaster.pid'), { force: true });
  return false;
}

/** The process number of the running server. A number that another program has got meanwhile does not count. */
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

/** A server works inside its data folder. Where the system does not tell, a living process is taken for the server. */
function servesFolder(pid: number, folder: string): boolean {
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

const readLog = (cluster: ClusterFolder) => readFile(cluster.log, 'utf8').catch(() => '');
