import type { FileMove, LineShift } from '../../projects/index.js';

export interface Place {
  path: string;
  /** Null: the file as a whole. */
  line: number | null;
}

/** Where a place of a file is after what became of the file; undefined when it is gone. */
export function mapPlace({ path, line }: Place, move: FileMove | undefined): Place | undefined {
  if (!move) return { path, line };
  if (move.path === null) return undefined;
  if (line === null) return { path: move.path, line };
  const mapped = mapLine(move.shifts, line);
  return mapped === undefined ? undefined : { path: move.path, line: mapped };
}

/** A line that was replaced is gone, also where another stands in its place: nobody knows whether it says the same. */
function mapLine(shifts: readonly LineShift[], line: number): number | undefined {
  let offset = 0;
  for (const { oldStart, oldCount, newCount } of shifts) {
    // Of a piece that takes nothing away, git names the line before it.
    const first = oldCount === 0 ? oldStart + 1 : oldStart;
    if (line < first) break;
    if (line < first + oldCount) return undefined;
    offset += newCount - oldCount;
  }
  return line + offset;
}
