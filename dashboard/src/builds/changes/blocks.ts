import type { DiffFile, DiffLine } from './diff.js';
import { type Side, splitLines } from './line-parts.js';

export interface Block {
  /** Number of rows, without requested context lines. */
  count: number;
  parts: { hunk: number; begins: boolean; rows: Side[] }[];
}

const ROWS_TOGETHER = 120;

const inOneColumn = (line: DiffLine): Side => ({ old: line, new: line });

/** Combines small hunks and splits large ones so that long files render in steps. */
export function blocksOf({ hunks }: DiffFile, split: boolean): Block[] {
  const blocks: Block[] = [];
  for (const [hunk, { lines }] of hunks.entries()) {
    const rows = split ? splitLines(lines) : lines.map(inOneColumn);
    for (let at = 0; at < rows.length; at += ROWS_TOGETHER) {
      const part = { hunk, begins: at === 0, rows: rows.slice(at, at + ROWS_TOGETHER) };
      const last = blocks.at(-1);
      if (last && last.count + part.rows.length <= ROWS_TOGETHER) {
        last.parts.push(part);
        last.count += part.rows.length + 1;
      } else blocks.push({ parts: [part], count: part.rows.length + 1 });
    }
  }
  return blocks;
}
