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

/**
 * How long the event loop was held at the most while the work ran, in milliseconds. A busy machine holds it too, so it
 * counts only as far as this process was computing meanwhile.
 */
export async function longestHold(work: () => Promise<unknown>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
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
