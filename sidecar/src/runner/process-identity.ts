import { readFileSync } from 'node:fs';

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
