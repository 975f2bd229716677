import type { DiffFile, DiffLine } from './diff.js';
import { type Side, splitLines } from './line-parts.js';

/** Rows that are drawn together. */
export interface Block {
  /** How many rows there are, what is asked for around them not counted. */
  count: number;
  parts: { hunk: number; begins: boolean; rows: Side[] }[];
}

const ROWS_TOGETHER = 120;

const inOneColumn = (line: DiffLine): Side => ({ old: line, new: line });

/** Small hunks stand together and large ones are cut, so that a file of any length is drawn bit by bit. */
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
