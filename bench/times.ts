const percentile = (sorted: number[], share: number): string =>
  `${sorted[Math.floor(sorted.length * share)]?.toFixed(1)} ms`;

export function describeTimes(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `p50 ${percentile(sorted, 0.5)}, p95 ${percentile(sorted, 0.95)}, p99 ${percentile(sorted, 0.99)}`;
}
