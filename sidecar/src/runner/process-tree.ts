import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { asUser } from './isolation.js';
import { isBuildUser } from './user-ledger.js';

/** A process by more than its number: numbers are given again, also after the machine was started anew. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, as the kernel counts; null where the system does not tell. */
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

/** The machine's start and the process's, because the second is counted from the first. A dead one that nobody took note of is dead. */
function readBeginning(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program stands in brackets and may hold anything, brackets and blanks too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}-${fields[19]}`;
  } catch {
    return null;
  }
}

export interface Tree {
  /** No other build has it, so whatever runs under it belongs to this one, wherever it has moved to. */
  uid: number | null;
  /** In the environment of everything the coder starts; counts where there is no user to go by. */
  buildId: string;
  /** The first process, which leads a group of its own. */
  leader?: number;
}

const PATIENCE_MS = 10_000;

export function signalTree(tree: Tree, signal: 'TERM' | 'KILL'): void {
  // What follows ends everything of the user: of root, that is the machine.
  if (tree.uid !== null && !isBuildUser(tree.uid)) throw new Error(`${tree.uid} is no user of a build`);
  if (tree.uid !== null) {
    // One call for all of them: nothing can fork its way past it.
    spawnSync('setpriv', [...asUser(tree.uid).slice(1), 'sh', '-c', `kill -${signal} -1`], {
      stdio: 'ignore',
    });
  } else {
    if (tree.leader) send(-tree.leader, signal);
    for (const pid of listMarked(tree.buildId)) send(pid, signal);
  }
}

/** Resolves when nothing of the build runs any more; with false when something would not end. */
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

/** How many ticks of CPU time each process of the build has had. */
export const readTimes = (tree: Tree): Map<string, number> =>
  new Map(
    listTree(tree).map((pid) => {
      // The name of the program may hold anything, so what follows its bracket is counted.
      const stat = readProcess(pid, 'stat');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return [`${pid} ${fields[19]}`, (Number(fields[11]) || 0) + (Number(fields[12]) || 0)];
    }),
  );

function send(pid: number, signal: 'TERM' | 'KILL'): void {
  try {
    process.kill(pid, `SIG${signal}`);
  } catch {
    // It has ended.
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
