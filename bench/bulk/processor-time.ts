import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;

interface Process {
  pid: string;
  parent: string;
  /** Processor time of its children that have exited. */
  endedMs: number;
}

function readProcess(pid: string): Process[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return [{ pid, parent: fields[1]!, endedMs: (Number(fields[13]) + Number(fields[14])) * TICK_MS }];
  } catch {
    // The process exited in the meantime.
    return [];
  }
}

function ownMs(pid: string): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const read = (thread: string) =>
      readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0];
    return threads.reduce((sum, thread) => sum + Number(read(thread)) / 1e6, 0);
  } catch {
    return 0;
  }
}

/** The processor time of these processes and their descendants in milliseconds, unaffected by other load. */
export function processorTime(roots: readonly number[]): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readProcess);
  const wanted = new Set(roots.map(String));
  for (let before = 0; before < wanted.size; ) {
    before = wanted.size;
    for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid);
  }
  return all.reduce((sum, { pid, endedMs }) => sum + (wanted.has(pid) ? endedMs + ownMs(pid) : 0), 0);
}
