import { readFileSync } from 'node:fs';

const TICK_MS = 2;

const computed = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** CPU milliseconds that this process used while the work ran. Other processes do not count. */
export function computingTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return computed(before);
}

/** CPU milliseconds that the main thread has used so far. Other threads do not count. */
function threadTime(): number | undefined {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}

/**
 * The longest time that the event loop was blocked while the work ran, in milliseconds. Each delay counts
 * only up to the CPU time of the main thread, because a busy machine also delays the loop.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let lastComputed = threadTime();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    const nowComputed = threadTime();
    const busy = nowComputed === undefined ? Number.POSITIVE_INFINITY : nowComputed - lastComputed!;
    longest = Math.max(longest, Math.min(now - last, busy));
    last = now;
    lastComputed = nowComputed;
  };
  const before = process.cpuUsage();
  const timer = setInterval(look, TICK_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return Math.min(longest, computed(before));
}
