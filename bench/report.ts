import type { RowResult } from './measure.js';

const heads = ['row', 'req/s', 'p50 ms', 'p99 ms', 'floor req/s', 'p50 ms', 'p99 ms', 'of floor'];

function cells(result: RowResult): string[] {
  if ('skipped' in result) return [result.name, 'skipped', '', '', '', '', '', ''];
  const { ours, floor, ratio, failures } = result;
  return [
    result.name,
    ours.requestsPerSecond.toFixed(0),
    ours.p50.toFixed(2),
    ours.p99.toFixed(2),
    floor.requestsPerSecond.toFixed(0),
    floor.p50.toFixed(2),
    floor.p99.toFixed(2),
    failures > 0 ? `${ratio.toFixed(2)} (${failures} FAILED)` : ratio.toFixed(2),
  ];
}

export function printTable(results: RowResult[]): void {
  const lines = [heads, ...results.map(cells)];
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const format = (line: string[]) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  console.log(`\n${format(heads)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}`);
  for (const line of lines.slice(1)) console.log(format(line));
}
