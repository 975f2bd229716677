import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { asUser } from './isolation.js';
import { isBuildUser } from './user-ledger.js';

/** Identifies a process by more than its id, because ids are reused, also after a reboot. */
export interface ProcessIdentity {
  pid: number;
  /** Start time as the kernel counts it; null when the system does not report it. */
  began: string | null;
}

export const identify = (pid: number): ProcessIdentity => ({ pid, began: readBeginning(pid) });

export function isProcess({ pid, began }: ProcessIdentity): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  if (began !== null) return readBeginning(pid) === began;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Combines the boot id with the process's start time, which is counted from boot. Null for a zombie. */
function readBeginning(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program's name is in parentheses and may itself contain parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}-${fields[19]}`;
  } catch {
    return null;
  }
}

export interface Tree {
  /** Unique to this build, so every process of this user belongs to it. */
  uid: number | null;
  /** In the environment of all the coder's processes; identifies them when there is no separate user. */
  buildId: string;
  /** The first process, which leads its own process group. */
  leader?: number;
}

const PATIENCE_MS = 10_000;

export function signalTree(tree: Tree, signal: 'TERM' | 'KILL'): void {
  // Ending all processes of root would end the machine.
  if (tree.uid !== null && !isBuildUser(tree.uid)) throw new Error(`${tree.uid} is no user of a build`);
  if (tree.uid !== null) {
    // One call signals all processes, so no fork can escape it.
    spawnSync('setpriv', [...asUser(tree.uid).slice(1), 'sh', '-c', `kill -${signal} -1`], {
      stdio: 'ignore',
    });
  } else {
    if (tree.leader) send(-tree.leader, signal);
    for (const pid of listMarked(tree.buildId)) send(pid, signal);
  }
}

/** Resolves when no process of the build remains, or with false when one could not be ended. */
export async function endTree(tree: Tree): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    signalTree(tree, 'KILL');
    if (tree.uid !== null && tree.leader) send(-tree.leader, 'KILL');
    if (countTree(tree) === 0) return true;
    if (performance.now() > deadline) return false;
    await pause(20);
  }
}

const listTree = (tree: Tree): number[] =>
  tree.uid === null ? listMarked(tree.buildId) : listOfUser(tree.uid);

const countTree = (tree: Tree): number => listTree(tree).length;

/** CPU time of each process of the build, in clock ticks. */
export const readTimes = (tree: Tree): Map<string, number> =>
  new Map(
    listTree(tree).map((pid) => {
      // The program's name may contain anything, so count the fields after its closing parenthesis.
      const stat = readProcess(pid, 'stat');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [`${pid} ${fields[19]}`, (Number(fields[11]) || 0) + (Number(fields[12]) || 0)];
    }),
  );

function send(pid: number, signal: 'TERM' | 'KILL'): void {
  try {
    process.kill(pid, `SIG${signal}`);
  } catch {
    // The process has already exited.
  }
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

const listOfUser = (uid: number): number[] =>
  listProcesses().filter((pid) => {
    const status = readProcess(pid, 'status');
    return !/^State:\s+[ZX]/m.test(status) && new RegExp(`^Uid:\\s+${uid}\\s`, 'm').test(status);
  });

const listMarked = (buildId: string): number[] =>
  listProcesses().filter(
    (pid) =>
      pid !== process.pid &&
      readProcess(pid, 'environ').split('\0').includes(`GUILDHALL_BUILD_ID=${buildId}`),
  );

function readProcess(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
