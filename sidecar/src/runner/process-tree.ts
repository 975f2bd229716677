import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isBuildUser } from './build-users.js';
import { asUser } from './isolation.js';

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

export const countTree = (tree: Tree): number => listTree(tree).length;

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
