import { readFileSync } from 'node:fs';

const TICK_MS = 2;

const computed = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

/** Milliseconds that this process computed while the work ran; what others take of the machine does not count. */
export function computingTime(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return computed(before);
}

/** Milliseconds that the main thread has computed so far: other threads are busy meanwhile, and are meant to be. */
function threadTime(): number | undefined {
  try {
    const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}

/**
 * How long the event loop was held at the most while the work ran, in milliseconds. A busy machine holds it too, so each
 * wait counts only as far as the thread of the loop was computing meanwhile.
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
